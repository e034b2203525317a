// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/core_share.hpp"

#include <algorithm>

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

}  // namespace

CoreShare share_of(const MatrixProblem& problem, const CoreGrid& grid) {
  CoreShare share{.problem = problem, .grid = {1, 1, 1}};
  MatrixProblem& p = share.problem;
  p.groups = ceil_div(problem.groups, grid[0]);
  p.m = std::min(problem.m, ceil_div(pieces_of_m(problem), grid[1]) * problem.row_pixels());
  p.n = ceil_div(problem.n, grid[2]);
  share.grid = {ceil_div(problem.groups, p.groups), ceil_div(problem.m, p.m),
                ceil_div(problem.n, p.n)};
  return share;
}

std::vector<CoreGrid> core_grids(const MatrixProblem& problem, const MatrixContext& context) {
  const SystolicTarget& t = context.target;
  const auto whole_groups = [&](Count cores) {
    return problem.groups % cores == 0 || cores == problem.groups;
  };
  if (context.a_resident || context.c_resident) {
    // Every core must have whole groups: the largest even share.
    Count cores = std::min(problem.groups, t.cores);
    while (!whole_groups(cores)) --cores;
    return {{cores, 1, 1}};
  }
  if (problem.groups * problem.m * problem.n * problem.k < t.core_split_macs) return {{1, 1, 1}};
  std::vector<CoreGrid> grids;
  for (const Count g : counts_along(problem.groups, t.cores)) {
    if (!whole_groups(g)) continue;
    for (const Count m : counts_along(pieces_of_m(problem), t.cores / g)) {
      const Count left = t.cores / g / m;
      for (const Count n : counts_along(ceil_div(problem.n, t.cols), left)) {
        grids.push_back({g, m, n});
      }
    }
  }
  return grids;
}

}  // namespace tilewave
