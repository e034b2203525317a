// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/range_values.hpp"

#include <cmath>
#include <fmt/format.h>
#include <string>

#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

/// 0.1 + 2 * 0.1 is meant as 0.3: what is beyond 12 digits comes from the binary sum.
double without_residue(double value) { return std::stod(fmt::format("{:.12g}", value)); }

double on_scale(RangeScale scale, double value) {
  return scale == RangeScale::linear ? value
         : scale == RangeScale::log2 ? std::log2(value)
                                     : std::log10(value);
}

double off_scale(RangeScale scale, double value) {
  return scale == RangeScale::linear ? value
                                     : std::pow(scale == RangeScale::log2 ? 2.0 : 10.0, value);
}

void check(const RangeRule& rule, double from, double to) {
  if (!std::isfinite(from) || !std::isfinite(to) || from > to) {
    throw ExpressionError(
        fmt::format("must go up: [{}, {}] does not", shown(rule.from), shown(rule.to)));
  }
  if (rule.scale != RangeScale::linear && from <= 0) {
    throw ExpressionError("must be of more than 0 on a logarithmic scale");
  }
  if (rule.step && (rule.scale != RangeScale::linear || rule.values)) {
    throw ExpressionError("takes a step on a linear scale only, and not beside \"values\"");
  }
}

}  // namespace

double ContinuousRange::at(double share) const {
  const double low = on_scale(scale, from), high = on_scale(scale, to);
  return std::min(to, std::max(from, off_scale(scale, low + share * (high - low))));
}

ContinuousRange continuous_range(const RangeRule& rule) {
  const double from = rule.from.get<double>(), to = rule.to.get<double>();
  check(rule, from, to);
  if (rule.step || rule.values) {
    throw ExpressionError("that is continuous has neither a step nor \"values\"");
  }
  return {.from = from, .to = to, .scale = rule.scale};
}

std::vector<Json> range_values(const RangeRule& rule, std::size_t most) {
  const double from = rule.from.get<double>(), to = rule.to.get<double>();
  check(rule, from, to);
  const bool whole = rule.from.is_number_integer() && rule.to.is_number_integer() &&
                     (!rule.step || *rule.step == std::floor(*rule.step));
  if (rule.scale == RangeScale::linear && !whole && !rule.step && !rule.values) {
    throw ExpressionError("of numbers that are not whole needs \"step\" or \"values\"");
  }
  std::vector<Json> list;
  const auto add = [&](double value) {
    if (!whole) {
      list.emplace_back(without_residue(value));
      return;
    }
    Json number = static_cast<std::int64_t>(std::llround(value));
    if (list.empty() || list.back() != number) list.push_back(std::move(number));
  };
  if (rule.values) {
    const ContinuousRange range{.from = from, .to = to, .scale = rule.scale};
    const auto last = static_cast<double>(*rule.values - 1);
    for (Count i = 0; i < *rule.values; ++i) add(range.at(static_cast<double>(i) / last));
    return list;
  }
  const double step = rule.step.value_or(1);
  const double factor = rule.scale == RangeScale::log2 ? 2 : 10;
  // A last value that rounding put a hair beyond the end counts.
  const double end = to + 1e-9 * (rule.scale == RangeScale::linear ? step : to);
  for (std::size_t i = 0;; ++i) {
    const auto n = static_cast<double>(i);
    const double value =
        rule.scale == RangeScale::linear ? from + n * step : from * std::pow(factor, n);
    if (value > end) return list;
    if (i == most) throw ExpressionError(fmt::format("stands for more than {} values", most));
    add(std::min(value, to));
  }
}

}  // namespace tilewave
