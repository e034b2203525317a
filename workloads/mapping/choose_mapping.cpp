// SPDX-License-Identifier: Apache-2.0
// The mapping of a contraction over all cores: the best share of it, with k whole or dealt out.
#include <limits>

#include "workloads/mapping/core_share.hpp"
#include "workloads/mapping/split_k.hpp"

namespace tilewave {

namespace {

/// As many cores along each dimension as it takes when each works on whole tiles.
CoreGrid cores_needed(const MatrixProblem& problem, const MatrixMapping& mapping,
                      const CoreGrid& grid) {
  const auto units = [&](bool split) { return split ? mapping.units : 1; };
  const Nest& nest = mapping.nest;
  return {grid[0],
          ceil_div(problem.m, mapping.tm * units(mapping.split_m) * nest.count(LoopId::m_block) *
                                  nest.count(LoopId::m)),
          ceil_div(problem.n, mapping.tn * units(!mapping.split_m) * nest.count(LoopId::n)),
          grid[3] == 1 ? 1 : ceil_div(problem.k, mapping.tk * nest.count(LoopId::k))};
}

/// The best of the mappings that deal k to the cores; none if `whole`, the best of the others
/// where any of them fits the buffers, is predicted to take less time, or about as much.
std::optional<MatrixMapping> choose_split_k(const MatrixProblem& problem,
                                            const MatrixContext& context, Bytes operands,
                                            const std::optional<MatrixMapping>& whole) {
  // Cores that read parts of k at the same time, and the sums, meet in the memory, and the formula does
  // not see it: on ascend_910b parts that it took for 20 % faster were slower. What it is this sure of
  // is worth the traffic. Estimated.
  constexpr double kSureGain = 0.75;
  std::optional<MatrixMapping> best;
  const bool any_time = context.target.split_k > 1 || !whole;
  double limit =
      any_time ? std::numeric_limits<double>::infinity() : kSureGain * whole->predicted_cycles;
  const Count least_cores = any_time ? 1 : whole->grid[0] * whole->grid[1] * whole->grid[2];
  const auto grids = split_k_grids(problem, context, least_cores);
  if (grids.empty()) return best;
  const double least = least_product_cycles(problem, context);
  const MatrixProblem sums = problem.with_sums_out();
  MatrixContext of_part = context;
  of_part.residual_fetched = false;
  for (const CoreGrid& grid : grids) {
    const CoreShare share = share_of(sums, grid, context.target);
    if (share.grid[3] == 1) continue;
    if (least + sum_cycles(problem, share.grid[3], context) >= limit) continue;
    Fault none;
    auto mapping = map_share(share, of_part, operands, none);
    if (!mapping) continue;
    mapping->grid = cores_needed(problem, *mapping, share.grid);
    if (mapping->parts() == 1) continue;
    mapping->predicted_cycles += sum_cycles(problem, mapping->parts(), context);
    if (mapping->predicted_cycles >= limit) continue;
    limit = mapping->predicted_cycles;
    best = std::move(mapping);
  }
  return best;
}

}  // namespace

std::optional<MatrixMapping> choose_mapping(const MatrixProblem& problem,
                                            const MatrixContext& context, Fault& why) {
  std::optional<MatrixMapping> best;
  const AFetch fetch = problem.convolution ? AFetch::window : AFetch::matrix;
  const Bytes operands = problem.a_bytes_once(fetch, problem.m) + problem.b_bytes_once();
  for (const CoreGrid& grid : core_grids(problem, context)) {
    const CoreShare share = share_of(problem, grid, context.target);
    auto mapping = map_share(share, context, operands, why);
    if (!mapping) continue;
    mapping->grid = cores_needed(problem, *mapping, share.grid);
    if (!best || mapping->predicted_cycles < best->predicted_cycles) best = std::move(mapping);
  }
  if (auto split = choose_split_k(problem, context, operands, best)) best = std::move(split);
  return best;
}

}  // namespace tilewave
