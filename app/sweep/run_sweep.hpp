// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_store.hpp"

namespace tilewave {

/// How far a sweep is.
struct SweepCounts {
  std::uint64_t points = 0;  ///< of the sweep, without those that constraints leave out
  std::uint64_t left_out = 0;
  std::uint64_t kept = 0;    ///< had a result in the store
  std::uint64_t reused = 0;  ///< equal input had one
  std::uint64_t ran = 0;     ///< in this run, failed ones too
  std::uint64_t failed = 0;  ///< of those in this run

  [[nodiscard]] std::uint64_t done() const noexcept { return kept + reused + ran; }
};

struct SweepOptions {
  std::size_t jobs = 1;  ///< worker processes
  std::vector<std::string>
      worker_command;  ///< starts one (worker.hpp), without the parent's number
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const SweepCounts&)> progress{};  ///< at least ten times a second
  /// Asked at least ten times a second; may throw, as a caller's signal handler does.
  std::function<void()> check{};
};

/// Runs what the store does not have and puts it there, point by point. Throws Interrupted (what has ended is in
/// the store), StoreError or SimulationError (no workers).
SweepCounts run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options);

/// Looks at some points spread over the plan, without running them. Throws the first one's ConfigError if none of
/// them can be resolved: a misspelt path is wrong for all. Also if constraints leave no point.
void check_points(const SweepPlan& plan);

/// The points that constraints leave.
[[nodiscard]] std::uint64_t count_points(const SweepPlan& plan,
                                         const std::function<void()>& check = {});

/// Fills in what a stored result of the same input gives for this point. False: it lacks something that is asked
/// for (an objective beyond the totals, the report).
[[nodiscard]] bool reuse(const Json& task, const PointResult& stored, PointResult& result);

}  // namespace tilewave
