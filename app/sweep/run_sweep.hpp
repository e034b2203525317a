// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/sweep/sweep_feed.hpp"

namespace tilewave {

struct SweepOptions {
  std::size_t jobs = 1;  ///< worker processes
  std::vector<std::string>
      worker_command;  ///< starts one (worker.hpp), without the parent's number
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const SweepCounts&)> progress{};  ///< at least ten times a second
};

/// Runs what the store does not have and puts it there, point by point. Throws Interrupted (what has ended is in
/// the store), StoreError or SimulationError (no workers).
SweepCounts run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options);

/// Looks at some points spread over the plan, without running them. Throws the first one's ConfigError if none of
/// them can be resolved: a misspelt path is wrong for all. Also if constraints leave no point, or an objective has a
/// path that the report of none of them will have.
void check_points(const SweepPlan& plan);

/// The points that constraints leave.
[[nodiscard]] std::uint64_t count_points(const SweepPlan& plan);

}  // namespace tilewave
