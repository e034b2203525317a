// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/run_sweep.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "app/sweep/run_point.hpp"
#include "app/sweep/worker_pool.hpp"
#include "arch/chip/run_hooks.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

class SweepRun {
 public:
  SweepRun(const SweepPlan& plan, SweepStore& store, const SweepOptions& options)
      : plan_(plan), store_(store), options_(options) {}

  SweepCounts run() {
    counts_.points = count_points(plan_, [this] { check_stop(); });
    counts_.left_out = plan_.candidates() - counts_.points;
    WorkerPool pool(options_.worker_command, options_.jobs);
    pool.run({.next = [this] { return next(); },
              .done = [this](const WorkerTask&, const std::string& line) { keep(line); },
              .lost = [this](const WorkerTask& task, const std::string& why) { lose(task, why); },
              .go_on =
                  [this] {
                    check_stop();
                    return true;
                  }});
    if (options_.progress) options_.progress(counts_);
    return counts_;
  }

 private:
  /// The next point that has to run; those that need not are dealt with on the way.
  std::optional<WorkerTask> next() {
    while (number_ < plan_.candidates()) {
      check_stop();
      const std::uint64_t number = number_++;
      if (store_.has(number)) {
        ++counts_.kept;
        continue;
      }
      auto point = plan_.point(number);
      if (!point) continue;
      if (!point->error.empty()) {
        ++counts_.ran, ++counts_.failed;
        store_.put(failed_point(*point, point->error));
        continue;
      }
      std::string task = plan_.task(*point);
      if (store_.had_results() && took_from_store(task, *point)) continue;
      return WorkerTask{.number = number, .text = std::move(task)};
    }
    return std::nullopt;
  }

  bool took_from_store(const std::string& text, const SweepPoint& point) {
    const Json task = Json::parse(text);
    PointResult result{.number = point.number,
                       .parameters = point.parameters,
                       .key = {},
                       .objectives = {},
                       .total = {},
                       .report = {},
                       .warnings = {},
                       .error = {}};
    try {
      result.key = key_of(resolve_task(task).request);
    } catch (const std::exception&) {
      return false;  // the worker tells what is wrong
    }
    const auto stored = store_.result_of(result.key);
    if (!stored || !reuse(task, *stored, result)) return false;
    store_.put(result);
    ++counts_.reused;
    return true;
  }

  void keep(const std::string& line) {
    const PointResult result = result_from_line(line);
    store_.put(result);
    ++counts_.ran;
    counts_.failed += result.error.empty() ? 0 : 1;
  }

  void lose(const WorkerTask& task, const std::string& why) {
    auto point = plan_.point(task.number);
    if (!point) return;
    PointResult result =
        failed_point(*point, fmt::format("the process that ran it {}, twice", why));
    result.lost = true;
    store_.put(result);
    ++counts_.ran, ++counts_.failed;
  }

  void check_stop() {
    if (options_.stop != nullptr && *options_.stop) throw Interrupted();
    if (options_.check) options_.check();
    if (options_.progress) options_.progress(counts_);
  }

  const SweepPlan& plan_;
  SweepStore& store_;
  const SweepOptions& options_;
  SweepCounts counts_;
  std::uint64_t number_ = 0;
};

}  // namespace

SweepCounts run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options) {
  return SweepRun(plan, store, options).run();
}

std::uint64_t count_points(const SweepPlan& plan, const std::function<void()>& check) {
  if (plan.sweep().constraints.empty()) return plan.candidates();
  constexpr std::uint64_t kBetweenChecks = 10'000;
  std::uint64_t points = 0;
  for (std::uint64_t i = 0; i < plan.candidates(); ++i) {
    if (check && i % kBetweenChecks == 0) check();
    points += plan.point(i).has_value() ? 1 : 0;
  }
  return points;
}

bool reuse(const Json& task, const PointResult& stored, PointResult& result) {
  const bool wants_report = task.value("reports", false);
  if (wants_report && stored.report.is_null()) return false;
  try {
    result.objectives = objectives_of(
        task, stored.report.is_null() ? Json{{"total", stored.total}} : stored.report);
  } catch (const ExpressionError&) {
    return false;
  }
  result.key = stored.key;
  result.total = stored.total;
  result.warnings = stored.warnings;
  if (wants_report) result.report = stored.report;
  return true;
}

void check_points(const SweepPlan& plan) {
  constexpr std::uint64_t kMostLookedAt = 8;
  const std::uint64_t candidates = plan.candidates();
  std::optional<ConfigError> first;
  std::uint64_t looked_at = 0;
  const auto look_at = [&](std::uint64_t number) {
    const auto point = plan.point(number);
    if (!point) return false;
    ++looked_at;
    try {
      if (!point->error.empty()) {
        throw ConfigError(Fault{.file = plan.sweep().file, .path = "", .message = point->error});
      }
      (void)resolve_task(Json::parse(plan.task(*point)));
      return true;
    } catch (const ConfigError& error) {
      if (!first) first = error;
      return false;
    }
  };
  const std::uint64_t wanted = std::min(kMostLookedAt, candidates);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    if (look_at(i * (candidates - 1) / std::max<std::uint64_t>(1, wanted - 1))) return;
  }
  // Constraints may have left out those; then the first that they leave.
  for (std::uint64_t i = 0; looked_at == 0 && i < candidates; ++i) {
    if (look_at(i)) return;
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
