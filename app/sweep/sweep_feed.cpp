// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_feed.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <utility>

#include "app/sweep/run_point.hpp"

namespace tilewave {

bool SweepFeed::count_some(std::uint64_t most) {
  if (plan_.sweep().constraints.empty()) {
    counted_ = counts_.points = plan_.candidates();
    return true;
  }
  const std::uint64_t end = std::min(plan_.candidates(), counted_ + most);
  for (; counted_ < end; ++counted_) {
    ++(plan_.point(counted_) ? counts_.points : counts_.left_out);
  }
  return counted_ == plan_.candidates();
}

SweepFeed::Step SweepFeed::step() {
  if (number_ == plan_.candidates()) return Step::end;
  const std::uint64_t number = number_++;
  if (store_.has(number)) {
    ++counts_.kept;
    return Step::passed;
  }
  const auto point = plan_.point(number);
  if (!point) return Step::passed;
  if (!point->error.empty()) {
    ++counts_.ran, ++counts_.failed;
    store_.put(failed_point(*point, point->error));
    return Step::passed;
  }
  std::string text = plan_.task(*point);
  if (store_.had_results() && take_from_store(text, *point)) return Step::passed;
  task_ = {.point = number, .text = std::move(text)};
  return Step::task;
}

std::optional<SweepFeed::Task> SweepFeed::next() {
  Step what = step();
  while (what == Step::passed) what = step();
  return what == Step::task ? std::optional(task()) : std::nullopt;
}

bool SweepFeed::take_from_store(const std::string& text, const SweepPoint& point) {
  const Json task = Json::parse(text);
  PointResult result = failed_point(point, "");
  try {
    result.key = key_of(resolve_task(task).request);
  } catch (const std::exception&) {
    return false;  // running it tells what is wrong
  }
  const auto stored = store_.result_of(result.key);
  if (!stored || !reuse(task, *stored, result)) return false;
  store_.put(result);
  ++counts_.reused;
  return true;
}

void SweepFeed::keep(const std::string& line) {
  const PointResult result = result_from_line(line);
  store_.put(result);
  ++counts_.ran;
  counts_.failed += result.error.empty() ? 0 : 1;
}

void SweepFeed::lose(std::uint64_t point, const std::string& why) {
  PointResult result =
      failed_point(plan_.point(point).value(), fmt::format("the process that ran it {}", why));
  result.lost = true;
  store_.put(result);
  ++counts_.ran, ++counts_.failed;
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

}  // namespace tilewave
