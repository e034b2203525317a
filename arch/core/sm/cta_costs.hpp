// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/core/sm/sm_params.hpp"
#include "arch/program/cta.hpp"

namespace tilewave {

/// Cycles that a piece of a CTA's work occupies each of the units its SM's CTAs share.
struct UnitCycles {
  Cycle tensor = 0;  ///< tensor cores, all sub-cores together; the lanes where these multiply
  Cycle shared = 0;  ///< port of shared memory and L1
  Cycle issue = 0;   ///< schedulers, or lanes and special function units where these are slower
  Cycle least = 0;   ///< dependences within: no faster even if alone
  [[nodiscard]] Cycle longest() const;
  UnitCycles& operator+=(const UnitCycles& other) noexcept;
};

/// What multiplying a slab of bm x bn x bk costs a CTA, by warps of wm x wn each. One CTA after the other
/// these are the formulas that `detailed` is to arrive at instruction by instruction.
///   tensor: MACs of whole instructions / rate, with idle sub-cores where there are fewer warps
///   shared: bytes written by the copy, fragments read: (wm + wn) bk of each warp (mma), of each warp
///           group (wgmma), of the CTA (tcgen05)
///   issue:  warp instructions / sub-cores: multiplies, fragment loads, copies, addresses
///   least:  dependent multiplies of a warp, one each step of k
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
                                   Count bm, Count bn, Count bk);
/// Of sums that go to shared memory as results and leave from there, 16 bytes a lane, a few sums of each
/// thread at a time.
[[nodiscard]] UnitCycles store_costs(const SmParams& sm, const program::Cta& cta, Count sums,
                                     Bytes bytes);

/// The costs of a kernel's CTA: of one pass of its loop, and of what comes after it.
class CtaCosts {
 public:
  CtaCosts(const SmParams& sm, const program::GpuKernel& kernel);

  [[nodiscard]] const UnitCycles& slab() const { return slab_; }
  [[nodiscard]] const UnitCycles& epilogue() const { return epilogue_; }
  /// From the start of the epilogue to the first results that leave: its first step.
  [[nodiscard]] Cycle first_store_cycles() const { return first_store_; }
  /// From the data's arrival to the first multiply.
  [[nodiscard]] Cycle fill_cycles() const { return fill_; }
  [[nodiscard]] const TileCosts& tile() const { return tile_; }

 private:
  void slab(const program::Loop& loop);
  void vector(const program::Instruction& vector, UnitCycles& cycles) const;
  void epilogue_stores(const program::Kernel& kernel);

  const SmParams& sm_;
  const program::Cta& cta_;
  DataType dtype_;
  UnitCycles slab_, epilogue_;
  TileCosts tile_;
  Cycle fill_ = 0, first_store_ = 0;
};

}  // namespace tilewave
