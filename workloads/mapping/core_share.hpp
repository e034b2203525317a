// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "workloads/mapping/matrix_mapping.hpp"

namespace tilewave {

/// Cores along groups, m and n of a contraction.
using CoreGrid = std::array<Count, 3>;

/// What the core with the largest share takes.
struct CoreShare {
  MatrixProblem problem;  ///< with the share's groups, m and n; not for regions
  CoreGrid grid;          ///< that are needed when each takes so much
  [[nodiscard]] Count cores() const { return grid[0] * grid[1] * grid[2]; }
};
[[nodiscard]] CoreShare share_of(const MatrixProblem& problem, const CoreGrid& grid);

/// The grids worth trying on a machine's cores: whole numbers of groups, images (or rows of an
/// image) and columns; where an operand is on chip, the one that deals out groups as evenly as
/// possible, for so it lies there. One core alone is among them, if nothing is on chip.
[[nodiscard]] std::vector<CoreGrid> core_grids(const MatrixProblem& problem,
                                               const MatrixContext& context);

}  // namespace tilewave
