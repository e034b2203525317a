// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "workloads/mapping/matrix_mapping.hpp"

namespace tilewave {

/// What the core with the largest share takes.
struct CoreShare {
  MatrixProblem problem;  ///< with the share's groups, m, n and k; not for regions
  CoreGrid grid;          ///< that are needed when each takes so much
  [[nodiscard]] Count cores() const { return grid[0] * grid[1] * grid[2] * grid[3]; }
};
[[nodiscard]] CoreShare share_of(const MatrixProblem& problem, const CoreGrid& grid,
                                 const SystolicTarget& target);

/// The best mapping of a share (matrix_mapping.hpp). `operand_bytes`: of A and B, each once.
[[nodiscard]] std::optional<MatrixMapping> map_share(const CoreShare& share,
                                                     const MatrixContext& context,
                                                     Bytes operand_bytes, Fault& why);

/// The grids worth trying on a machine's cores: whole numbers of groups, images (or rows of an
/// image) and columns; where an operand is on chip, the one that deals out groups as evenly as
/// possible, for so it lies there. One core alone is among them, if nothing is on chip.
[[nodiscard]] std::vector<CoreGrid> core_grids(const MatrixProblem& problem,
                                               const MatrixContext& context);

/// Those in which k is dealt out too, in 2, 4, 8 … parts or as many as there are cores for, that use at
/// least `least_cores`. With `mapping.split_k` those of so many parts, or as many as the machine's
/// tiles give.
[[nodiscard]] std::vector<CoreGrid> split_k_grids(const MatrixProblem& problem,
                                                  const MatrixContext& context, Count least_cores);

}  // namespace tilewave
