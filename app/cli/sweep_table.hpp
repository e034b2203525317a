// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "app/sweep/run_sweep.hpp"
#include "app/sweep/sweep_summary.hpp"

namespace tilewave {

/// What a sweep found as text: the best points for each objective, the Pareto front, what each parameter does. No
/// line is longer than `columns` (at least 40).
[[nodiscard]] std::string sweep_table(const Sweep& sweep, const SweepCounts& counts,
                                      const SweepSummary& summary, std::size_t columns);

/// The shortest ends of `paths` that tell them apart: "rows" for core.matrix_unit.rows.
[[nodiscard]] std::vector<std::string> short_names(const std::vector<std::string>& paths);

}  // namespace tilewave
