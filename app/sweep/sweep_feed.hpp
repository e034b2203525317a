// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

/// The side of a sweep that does not run points: says which ones have to run, and keeps what comes of them.
/// Whoever runs them, worker processes or a cluster, gives and takes one line of text each.
class SweepFeed {
 public:
  SweepFeed(const SweepPlan& plan, SweepStore& store) : plan_(plan), store_(store) {}

  struct Task {
    std::uint64_t point = 0;
    std::string text;  ///< what run_point() takes
  };
  /// Where next() is after one step.
  enum class Step { task, passed, end };

  /// Looks at one candidate: it has to run (see task()), or it is dealt with (has a result, equal input has one, a
  /// constraint leaves it out, it cannot be run), or there are no more.
  Step step();
  /// The next point that has to run; nothing: there are no more.
  [[nodiscard]] std::optional<Task> next();
  /// The task of the last step().
  [[nodiscard]] Task task() { return std::move(task_); }

  /// Keeps what run_point() gave.
  void keep(const std::string& result);
  /// The point's process ended again and again; `why` finishes "the process that ran it".
  void lose(std::uint64_t point, const std::string& why);

  /// Looks at every candidate's constraints; before that, `points` of counts() is 0. In parts: true when done.
  [[nodiscard]] bool count_some(std::uint64_t most);
  [[nodiscard]] const SweepCounts& counts() const noexcept { return counts_; }

 private:
  [[nodiscard]] bool take_from_store(const std::string& text, const SweepPoint& point);

  const SweepPlan& plan_;
  SweepStore& store_;
  SweepCounts counts_;
  std::uint64_t number_ = 0;
  std::uint64_t counted_ = 0;
  Task task_;
};

/// Fills in what a stored result of the same input gives for this point. False: it lacks something that is asked
/// for (an objective beyond the totals, the report).
[[nodiscard]] bool reuse(const Json& task, const PointResult& stored, PointResult& result);

}  // namespace tilewave
