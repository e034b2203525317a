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
};

/// What a CTA's instructions cost on an SM. One CTA after the other these are the formulas that
/// `detailed` arrives at instruction by instruction.
///   Multiplication of a slab of bm x bn x bk by warps of wm x wn each:
///     tensor: MACs of whole instructions / rate, with idle sub-cores where there are fewer warps
///     shared: bytes written by the copy, fragments read: (wm + wn) bk of each warp (mma), of each
///             warp group (wgmma), of the CTA (tcgen05)
///     issue:  warp instructions / sub-cores: multiplies, fragment loads, copies, addresses
///     least:  dependent multiplies of a warp, one each step of k
///   An epilogue: accumulators converted, through shared memory, stored.
class CtaCosts {
 public:
  CtaCosts(const SmParams& sm, const program::GpuKernel& kernel);

  /// Work of one pass of the loop.
  [[nodiscard]] const UnitCycles& slab() const { return slab_; }
  /// Work after it.
  [[nodiscard]] const UnitCycles& epilogue() const { return epilogue_; }
  /// From the data's arrival to the first multiply, and from the last to its result.
  [[nodiscard]] Cycle fill_cycles() const { return fill_; }
  [[nodiscard]] Cycle drain_cycles() const { return drain_; }
  /// Between a slab and the next of the same CTA.
  [[nodiscard]] Cycle sync_cycles() const { return sync_; }
  /// Of a slab, counted as the units do them.
  [[nodiscard]] Count slab_macs_done() const { return macs_done_; }
  [[nodiscard]] Bytes slab_shared_bytes() const { return shared_bytes_; }
  [[nodiscard]] Count slab_instructions() const { return instructions_; }

 private:
  void slab(const program::Loop& loop);
  void multiply(const program::Instruction& matrix);
  void vector(const program::Instruction& vector, UnitCycles& cycles) const;
  void epilogue_stores(const program::Kernel& kernel);

  const SmParams& sm_;
  const program::Cta& cta_;
  DataType dtype_;
  UnitCycles slab_, epilogue_;
  Cycle fill_ = 0, drain_ = 0, sync_ = 0;
  Count macs_done_ = 0, instructions_ = 0;
  Bytes shared_bytes_ = 0;
};

}  // namespace tilewave
