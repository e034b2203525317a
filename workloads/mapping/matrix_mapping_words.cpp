// SPDX-License-Identifier: Apache-2.0
// A mapping in words, for the report.
#include <fmt/format.h>

#include "workloads/mapping/matrix_mapping.hpp"

namespace tilewave {

namespace {

/// " over 4 units by m, over 8 cores: 4 by group, 2 by k"
std::string over_units_and_cores(const MatrixMapping& mapping, Count units) {
  std::string words;
  if (units > 1) words = fmt::format(" over {} units by {}", units, mapping.split_m ? "m" : "n");
  constexpr std::array<const char*, 4> kNames{"group", "m", "n", "k"};
  std::string by;
  Count cores = 1;
  for (std::size_t d = 0; d < kNames.size(); ++d) {
    cores *= mapping.grid[d];
    if (mapping.grid[d] == 1) continue;
    by += fmt::format("{}{} by {}", by.empty() ? "" : ", ", mapping.grid[d], kNames[d]);
  }
  return cores == 1 ? words : words + fmt::format(" over {} cores: {}", cores, by);
}

}  // namespace

std::string in_words(const MatrixProblem& problem, const MatrixMapping& mapping,
                     const MatrixContext& context) {
  const auto& nest = mapping.nest;
  const Count units = mapping.units;
  const auto operand = [&](const OperandPlan& plan, LoopSet depends) -> std::string {
    if (plan.resident) return "on chip";
    const Count fetches = nest.fetches(depends, plan.level);

    const std::string times =
        fetches == 1 ? "fetched once" : fmt::format("fetched {} times", fetches);
    if (plan.whole) return fmt::format("{}, in windows of {} bytes", times, plan.stage_bytes);
    return fmt::format("{}, room for {} tiles of {} bytes", times, plan.stages, plan.stage_bytes);
  };
  return fmt::format("{}: tiles m {} n {} k {} in order {}{}; A {}{}; B {}; {} accumulator stage{}",
                     to_string(context.target.dataflow), std::min(mapping.tm, problem.m),
                     std::min(mapping.tn, problem.n), std::min(mapping.tk, problem.k),
                     nest.order_in_words(), over_units_and_cores(mapping, units),
                     mapping.fetch == AFetch::im2col ? "as im2col windows " : "",
                     operand(mapping.a, problem.a_depends(mapping.fetch)),
                     operand(mapping.b, MatrixProblem::b_depends()), mapping.accumulator_stages,
                     mapping.accumulator_stages == 1 ? "" : "s");
}

}  // namespace tilewave
