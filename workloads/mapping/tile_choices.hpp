// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "workloads/mapping/matrix_problem.hpp"

namespace tilewave {

/// A tile that a matrix unit works on at a time, and how results and units are shared out.
struct TileChoice {
  Count m = 0, n = 0, k = 0;
  Count accumulator_stages = 1;
  bool split_m = false;  ///< units take tiles of m, else of n
};

/// Tiles worth trying of an array: two sides are the array's, the third is as large as the accumulators
/// allow and fractions of it.
[[nodiscard]] std::vector<TileChoice> array_tiles(const MatrixProblem& problem,
                                                  const SystolicTarget& target);
/// Of a cube unit: whole blocks, as large as L0A, L0B and a stage of the accumulators allow and fractions
/// of it; in k one, two, four … times what fills a half of L0A or L0B, rows of `least_row` bytes or more.
[[nodiscard]] std::vector<TileChoice> cube_tiles(const MatrixProblem& problem,
                                                 const SystolicTarget& target, Bytes least_row);

[[nodiscard]] Bytes accumulator_row_bytes(const MatrixProblem& problem,
                                          const SystolicTarget& target);
/// Rows of results that an accumulator stage of a unit can hold.
[[nodiscard]] Count accumulator_rows(const MatrixProblem& problem, const SystolicTarget& target,
                                     Count stages);

}  // namespace tilewave
