// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/units.hpp"

namespace tilewave {

/// What makes a matrix unit a cube (Huawei's Da Vinci): beside rows x cols, the products it adds up
/// for each of them at once, and the two buffers that operands pass on their way from the core's L1.
/// Each has two halves: one is filled while the other is multiplied.
struct CubeParams {
  Count depth = 0;      ///< of a block, in numbers of full-rate types
  Bytes l0a_bytes = 0;  ///< both halves
  Bytes l0b_bytes = 0;
  Bytes l0a_fill_bytes_per_cycle = 0;  ///< from L1; one of the two is filled at a time
  Bytes l0b_fill_bytes_per_cycle = 0;
  Cycle latency_cycles = 1;  ///< from the cycle a block enters to that in which its sums are there
};

/// How a cube takes a fold, an m x n x k tile: slice by slice of k, each as deep as a half of L0A and
/// of L0B has room for, the last one with what is left.
struct CubeFold {
  Count slices = 0;  ///< 0: the unit is no cube
  Count depth = 0;   ///< of k in a slice, but for the last
  Count block_depth = 0;
  Cycle multiply_cycles = 0, last_multiply_cycles = 0;
  Cycle fill_cycles = 0, last_fill_cycles = 0;

  [[nodiscard]] Cycle multiply(Count slice) const {
    return slice + 1 == slices ? last_multiply_cycles : multiply_cycles;
  }
  [[nodiscard]] Cycle fill(Count slice) const {
    return slice + 1 == slices ? last_fill_cycles : fill_cycles;
  }
  /// Cycles in which a block enters.
  [[nodiscard]] Cycle all_multiply_cycles() const {
    return slices == 0 ? 0 : (slices - 1) * multiply_cycles + last_multiply_cycles;
  }
};

}  // namespace tilewave
