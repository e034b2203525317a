// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <vector>

#include "arch/core/sm/cta_costs.hpp"
#include "arch/memory/shared_l2/gpu_memory.hpp"
#include "arch/program/cta.hpp"

namespace tilewave {

/// A kernel made ready for `fast`: what each slab of a block loads, what its units do, what is stored.
class CtaPlan {
 public:
  CtaPlan(const SmParams& sm, const program::GpuKernel& kernel);

  [[nodiscard]] const program::GpuKernel& kernel() const { return *kernel_; }
  [[nodiscard]] const CtaCosts& costs() const { return costs_; }
  /// Of the longest block, of this one.
  [[nodiscard]] Count slabs() const { return slabs_; }
  [[nodiscard]] Count slabs_of(program::BlockPlace block) const;
  /// Of blocks [first, end) in the order of dispatch.
  [[nodiscard]] Count slabs_of(Count first, Count end) const;
  /// Blocks from `first` on that have nearest to `slabs`.
  [[nodiscard]] Count blocks_with(Count slabs, Count first) const;
  [[nodiscard]] Count stages() const { return stages_; }
  [[nodiscard]] bool has_epilogue() const { return !stores_.empty(); }

  using Accesses = std::vector<MatrixAccess>;
  /// What slab `slab` of a block loads, and what its epilogue loads (a residual) and stores; appended.
  void loads_of(program::BlockPlace block, Count slab, Accesses& out) const;
  void stores_of(program::BlockPlace block, Accesses& out) const;
  /// What a block comes to: multiply-accumulates that the op asks for (tiles at the edges are cut off),
  /// bytes loaded and stored.
  struct BlockWork {
    Count macs = 0;
    Bytes load_bytes = 0, store_bytes = 0;
    Bytes link_bytes = 0;  ///< of the loads, over the link between chips
    BlockWork& operator+=(const BlockWork& o) noexcept {
      macs += o.macs, load_bytes += o.load_bytes, store_bytes += o.store_bytes;
      link_bytes += o.link_bytes;
      return *this;
    }
  };
  [[nodiscard]] const BlockWork& work_of(program::BlockPlace block) const;
  /// Of blocks [first, end) in the order of dispatch.
  [[nodiscard]] BlockWork work_of(Count first, Count end) const;

 private:
  /// Blocks alike in their first slab and their place in z do the same; under a mask, those of one tile
  /// and split.
  using Likeness = std::vector<Count>;
  void append(const program::Instruction& i, const LoopIndex& index, Accesses& out) const;
  [[nodiscard]] LoopIndex index_of(program::BlockPlace block, Count slab) const;
  [[nodiscard]] Count shared_by(const program::Instruction& i) const;
  void read_loop(const program::Loop& loop);
  [[nodiscard]] static bool holds(const program::Condition& when, Count slab, Count slabs);
  void read_likeness(program::BlockPlace block, const LoopIndex& first) const;
  void add_likeness(const program::Region& region, const LoopIndex& first) const;
  [[nodiscard]] Bytes bytes_of(const program::Instruction& load, const LoopIndex& index) const;
  [[nodiscard]] Count macs_of(const program::Instruction& i, const LoopIndex& index) const;

  const program::GpuKernel* kernel_;
  CtaCosts costs_;
  /// The nest of loops around a slab's work, outermost first.
  struct Level {
    int index;
    Count count;
  };
  std::vector<Level> nest_;
  Count slabs_ = 1, stages_ = 1;
  std::vector<const program::Instruction*> loads_, work_, stores_;
  mutable std::map<Likeness, BlockWork> works_;
  mutable Likeness likeness_;
  mutable Accesses counted_;
};

}  // namespace tilewave
