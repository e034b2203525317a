// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_store.hpp"

namespace tilewave {

/// The points of a sweep as CSV, a row each in their order: number, parameters by path, objectives, the report's
/// totals ("total.cycles"), error. An objective that is one of the totals is not there twice. The text goes to
/// `take` in parts: no more of it is held than that.
void write_sweep_csv(const SweepPlan& plan, SweepStore& store,
                     const std::function<void(std::string_view)>& take);

}  // namespace tilewave
