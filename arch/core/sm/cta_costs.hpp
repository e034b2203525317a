// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/core/sm/sm_params.hpp"
#include "arch/program/cta.hpp"

namespace tilewave {

/// Cycles that a piece of a CTA's work occupies each of the units its SM's CTAs share.
struct UnitCycles {
  Cycle tensor = 0;   ///< tensor cores, all sub-cores together; the lanes where these multiply
  Cycle shared = 0;   ///< port of shared memory and L1
  Cycle issue = 0;    ///< schedulers, or lanes where these are slower
  Cycle special = 0;  ///< special function units
  Cycle least = 0;    ///< dependences within: no faster even if alone
  [[nodiscard]] Cycle longest() const;
  /// … of those that CTAs share.
  [[nodiscard]] Cycle longest_shared() const;
  UnitCycles& operator+=(const UnitCycles& other) noexcept;
};

/// Where a multiply has its operands from.
struct TileOperands {
  bool a_in_shared = true;  ///< else in registers: probabilities that were just computed
  bool a_copied = true;     ///< A comes with the slab; else it is there for all slabs
  Count sharers = 1;        ///< teams that read what one of them is counted as copying
};

/// What multiplying a slab of bm x bn x bk costs a CTA, by warps of wm x wn each. One CTA after the other
/// these are the formulas that `detailed` is to arrive at instruction by instruction.
///   tensor: MACs of whole instructions / rate
///   shared: bytes written by the copy, fragments read: (wm + wn) bk of each warp (mma), of each warp
///           group (wgmma), of the CTA (tcgen05)
///   issue:  warp instructions / sub-cores: multiplies, fragment loads, copies, addresses
///   least:  dependent multiplies of a warp, one each step of k; those of a sub-core's warps, of which
///           some idle where there are fewer warps
struct TileCosts {
  UnitCycles cycles;
  Cycle drain_cycles = 0;  ///< from the last multiply to its result
  Cycle copy_cycles = 0;   ///< of shared memory, for what the copy writes
  Cycle sync_cycles = 0;   ///< between a slab and the next of the same CTA
  // Counted as the units do them.
  Count macs = 0, instructions = 0;
  Bytes shared_bytes = 0;
};
[[nodiscard]] TileCosts tile_costs(const SmParams& sm, const program::Cta& cta, DataType type,
                                   Count bm, Count bn, Count bk, const TileOperands& operands = {});
/// Of sums that go to shared memory as results and leave from there, 16 bytes a lane, a few sums of each
/// thread at a time.
[[nodiscard]] UnitCycles store_costs(const SmParams& sm, const program::Cta& cta, Count sums,
                                     Bytes bytes);

/// A part of a pass that begins when the part before it is complete.
struct CtaStep {
  UnitCycles cycles;
  Cycle after = 0;  ///< from its end to the next one's first instruction
  bool multiplies = false;
};

/// The costs of a kernel's CTA (with teams, of each): of one pass of its loop, and of what comes after it.
class CtaCosts {
 public:
  CtaCosts(const SmParams& sm, const program::GpuKernel& kernel);

  [[nodiscard]] const std::vector<CtaStep>& steps() const { return steps_; }
  [[nodiscard]] const UnitCycles& epilogue() const { return epilogue_; }
  /// From the data's arrival to the first multiply.
  [[nodiscard]] Cycle fill_cycles() const { return fill_; }
  [[nodiscard]] const TileCosts& tile() const { return tile_; }

 private:
  void slab(const program::Loop& loop);
  CtaStep& step(bool multiplies);
  void matrix(const program::Instruction& matrix);
  void vector(const program::Instruction& vector, UnitCycles& cycles) const;
  void reductions();
  void epilogue_stores(const program::Kernel& kernel);

  const SmParams& sm_;
  const program::Cta& cta_;
  DataType dtype_;
  std::vector<CtaStep> steps_;
  UnitCycles epilogue_;
  Count passes_ = 1;
  TileCosts tile_;
  Cycle fill_ = 0;
};

}  // namespace tilewave
