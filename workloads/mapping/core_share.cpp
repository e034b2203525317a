// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/core_share.hpp"

#include <algorithm>

#include "workloads/mapping/split_k.hpp"

namespace tilewave {

namespace {

/// Numbers of cores to try along something that can be cut in `most` pieces.
std::vector<Count> counts_along(Count most, Count cores) {
  std::vector<Count> counts;
  for (Count count = 1; count <= std::min(most, cores); count *= 2) counts.push_back(count);
  const Count all = std::min(most, cores);
  if (counts.back() != all) counts.push_back(all);
  return counts;
}

/// Pixels that stay together: an image row of a convolution.
Count pieces_of_m(const MatrixProblem& p) { return ceil_div(p.m, p.row_pixels()); }

/// What of k stays together: rows of an array; of a cube whole blocks, and lines of the L2, so that rows
/// of parts begin where lines do.
Count piece_of_k(const MatrixProblem& p, const SystolicTarget& t) {
  if (t.dataflow == Dataflow::output_stationary && !t.cube) return 1;
  if (!t.cube) return t.rows;
  return std::max<Count>(t.cube->block_depth.at(p.type),
                         t.l2_line_bytes * 8 / activation_bits(p.type));
}

bool whole_groups(const MatrixProblem& problem, Count cores) {
  return problem.groups % cores == 0 || cores == problem.groups;
}

bool too_small_to_share(const MatrixProblem& problem, const SystolicTarget& target) {
  return problem.groups * problem.m * problem.n * problem.k < target.core_split_macs;
}

}  // namespace

CoreShare share_of(const MatrixProblem& problem, const CoreGrid& grid,
                   const SystolicTarget& target) {
  CoreShare share{.problem = problem, .grid = {1, 1, 1, 1}};
  MatrixProblem& p = share.problem;
  p.groups = ceil_div(problem.groups, grid[0]);
  p.m = std::min(problem.m, ceil_div(pieces_of_m(problem), grid[1]) * problem.row_pixels());
  p.n = ceil_div(problem.n, grid[2]);
  if (grid[3] > 1) {
    const Count piece = piece_of_k(problem, target);
    p.k = std::min(problem.k, ceil_div(ceil_div(problem.k, piece), grid[3]) * piece);
  }
  share.grid = {ceil_div(problem.groups, p.groups), ceil_div(problem.m, p.m),
                ceil_div(problem.n, p.n), ceil_div(problem.k, p.k)};
  return share;
}

std::vector<CoreGrid> core_grids(const MatrixProblem& problem, const MatrixContext& context) {
  const SystolicTarget& t = context.target;
  if (context.a_resident || context.c_resident) {
    // Every core must have whole groups: the largest even share.
    Count cores = std::min(problem.groups, t.cores);
    while (!whole_groups(problem, cores)) --cores;
    return {{cores, 1, 1, 1}};
  }
  if (too_small_to_share(problem, t)) return {{1, 1, 1, 1}};
  std::vector<CoreGrid> grids;
  for (const Count g : counts_along(problem.groups, t.cores)) {
    if (!whole_groups(problem, g)) continue;
    for (const Count m : counts_along(pieces_of_m(problem), t.cores / g)) {
      const Count left = t.cores / g / m;
      for (const Count n : counts_along(ceil_div(problem.n, t.cols), left)) {
        grids.push_back({g, m, n, 1});
      }
    }
  }
  return grids;
}

std::vector<CoreGrid> split_k_grids(const MatrixProblem& problem, const MatrixContext& context,
                                    Count least_cores) {
  const SystolicTarget& t = context.target;
  std::vector<CoreGrid> grids;
  if (!can_split_k(problem, context) || too_small_to_share(problem, t)) return grids;
  const Count pieces = ceil_div(problem.k, piece_of_k(problem, t));
  for (const CoreGrid& grid : core_grids(problem, context)) {
    // The place of a core along k takes the dimension of a loop that is not dealt out.
    if (grid[0] > 1 && grid[1] > 1 && grid[2] > 1) continue;
    const Count others = grid[0] * grid[1] * grid[2], left = t.cores / others;
    std::vector<Count> parts;
    if (t.split_k == 0) {
      parts = counts_along(pieces, left);
    } else if (t.split_k <= left) {
      parts = {std::min(pieces, t.split_k)};
    }
    for (const Count k : parts) {
      if (k > 1 && others * k >= least_cores) grids.push_back({grid[0], grid[1], grid[2], k});
    }
  }
  return grids;
}

}  // namespace tilewave
