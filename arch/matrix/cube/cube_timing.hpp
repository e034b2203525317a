// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/matrix/array_params.hpp"

namespace tilewave {

/// The closed forms of a cube's timing, stated here and nowhere else; the variant that goes block by
/// block does not use them. Of slice i, f its cycles of filling and c those of multiplying:
///   its filling begins when that of slice i - 1 has ended and slice i - 2 is multiplied, which are
///   the cycle in which the multiplication of slice i - 1 begins, or later;
///   its multiplication begins when it is filled and slice i - 1 is multiplied.
/// So b(i + 1) = b(i) + max(c(i), f(i + 1)), across folds too where they follow at once.

/// What the rules have to know of the folds begun so far. Zeros: a cube that has done nothing.
struct CubeHistory {
  Cycle fill_free = 0;      ///< first cycle in which the next fold's operands may begin to come
  Cycle multiply_free = 0;  ///< first cycle in which its first block may enter
};

/// Cycles of a fold that begins in cycle `begin`.
struct CubeTimes {
  Cycle multiply_begin = 0;
  Cycle filled = 0;        ///< all of its operands have left L1
  Cycle multiply_end = 0;  ///< first cycle after its last block has entered
  Cycle completion = 0;    ///< all of its sums are there
};
[[nodiscard]] CubeTimes enter_fold(const ArrayParams& params, CubeHistory& history, Cycle begin,
                                   const FoldShape& shape);

/// Cycles from one fold to the next, when equal folds follow one another and never wait.
[[nodiscard]] Cycle cube_interval(const FoldShape& shape);

/// How a cube with these operands takes an m x n x k fold. `block_depth`: of k in a block of this
/// type; `passes`: cycles a block takes. Throws SimulationError if not even one block has room in a
/// half of L0A or L0B.
struct CubeOperands {
  unsigned a_bits = 0, b_bits = 0;
  Count block_depth = 0;
  Cycle passes = 1;
  Bytes l1_bytes_per_cycle = 0;  ///< its read port; 0: as wide as asked
};
[[nodiscard]] CubeFold cut_fold(const ArrayParams& params, const CubeOperands& operands, Count m,
                                Count n, Count k);

}  // namespace tilewave
