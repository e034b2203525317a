// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_store.hpp"
#include "app/sweep/sweep_summary.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// What the page of viz/sweep draws. Of more than `most_points` points it has the Pareto front, the best of
/// each objective, and others at even distances.
[[nodiscard]] Json sweep_page_data(const SweepPlan& plan, SweepStore& store,
                                   const SweepSummary& summary, std::size_t most_points = 5000);

}  // namespace tilewave
