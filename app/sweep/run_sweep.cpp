// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/run_sweep.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "app/sweep/objective_check.hpp"
#include "app/sweep/run_point.hpp"
#include "app/sweep/worker_pool.hpp"
#include "arch/chip/run_hooks.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
SweepCounts run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options) {
  SweepFeed feed(plan, store);
  const auto check = [&] {
    if (options.stop != nullptr && *options.stop) throw Interrupted();
    if (options.progress) options.progress(feed.counts());
  };
  constexpr std::uint64_t kBetweenChecks = 10'000;
  while (!feed.count_some(kBetweenChecks)) check();
  WorkerPool pool(options.worker_command, options.jobs);
  pool.run({.next = [&]() -> std::optional<WorkerTask> {
              auto what = feed.step();
              for (; what == SweepFeed::Step::passed; what = feed.step()) check();
              if (what == SweepFeed::Step::end) return std::nullopt;
              SweepFeed::Task task = feed.task();
              return WorkerTask{.number = task.point, .text = std::move(task.text)};
            },
            .done = [&](const WorkerTask&, const std::string& result) { feed.keep(result); },
            .lost = [&](const WorkerTask& task,
                        const std::string& why) { feed.lose(task.number, why + ", twice"); },
            .go_on =
                [&] {
                  check();
                  return true;
                }});
  return feed.counts();
}

std::uint64_t count_points(const SweepPlan& plan) {
  if (plan.sweep().constraints.empty()) return plan.candidates();
  std::uint64_t points = 0;
  for (std::uint64_t i = 0; i < plan.candidates(); ++i) points += plan.point(i) ? 1 : 0;
  return points;
}

void check_points(const SweepPlan& plan) {
  constexpr std::uint64_t kLookedAtFirst = 8;
  // A path that one kind of machine has may be found late, a misspelt one never.
  constexpr std::uint64_t kMostLookedAt = 64;
  const std::uint64_t candidates = plan.candidates();
  ObjectiveCheck objectives(plan.sweep());
  std::optional<ConfigError> first;
  std::uint64_t looked_at = 0, sound = 0;
  // True: no more need to be looked at.
  const auto look_at = [&](std::uint64_t number) {
    const auto point = plan.point(number);
    if (!point) return false;
    ++looked_at;
    try {
      if (!point->error.empty()) {
        throw ConfigError(Fault{.file = plan.sweep().file, .path = "", .message = point->error});
      }
      objectives.look_at(resolve_task(Json::parse(plan.task(*point))).request);
      ++sound;
      return objectives.done();
    } catch (const ConfigError& error) {
      if (!first) first = error;
      return false;
    }
  };
  const auto look_at_some = [&](std::uint64_t most) {
    const std::uint64_t wanted = std::min(most, candidates);
    for (std::uint64_t i = 0; i < wanted; ++i) {
      if (look_at(i * (candidates - 1) / std::max<std::uint64_t>(1, wanted - 1))) return true;
    }
    return false;
  };
  if (look_at_some(kLookedAtFirst)) return;
  // Constraints may have left out those; then the first that they leave.
  for (std::uint64_t i = 0; looked_at == 0 && i < candidates; ++i) {
    if (look_at(i)) return;
  }
  if (sound > 0) {
    if (!look_at_some(kMostLookedAt)) objectives.throw_if_open(plan.sweep());
    return;
  }
  if (looked_at > 0) {
    std::vector<Fault> faults = first->faults();
    for (Fault& fault : faults) {
      if (fault.file.empty()) fault.file = plan.sweep().file;
    }
    throw ConfigError(std::move(faults));
  }
  throw ConfigError(Fault{
      .file = plan.sweep().file, .path = "constraints", .message = "leave no point of the sweep"});
}

}  // namespace tilewave
