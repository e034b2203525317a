// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <utility>

#include "app/sweep/random_draw.hpp"

namespace tilewave {
namespace {

/// Looking at each candidate's constraints takes about a microsecond.
constexpr std::uint64_t kMaxCandidates = 1'000'000'000;

std::uint64_t size_of(const SweepParameter& parameter) {
  return parameter.list() != nullptr ? parameter.list()->size() : 1;
}

[[noreturn]] void fail_size(const Sweep& sweep) {
  throw ConfigError(
      Fault{.file = sweep.file,
            .path = "parameters",
            .message = fmt::format("make a grid of more than {} points; mode random or "
                                   "latin_hypercube draws some of them",
                                   kMaxCandidates)});
}

}  // namespace

SweepPlan::SweepPlan(Sweep sweep) : sweep_(std::move(sweep)) {
  const auto& parameters = sweep_.parameters;
  if (sweep_.mode == SweepMode::random || sweep_.mode == SweepMode::latin_hypercube) {
    candidates_ = sweep_.samples;
    if (sweep_.mode == SweepMode::latin_hypercube) draw_strata();
    return;
  }
  if (sweep_.mode == SweepMode::zip) {
    for (const SweepParameter& parameter : parameters) {
      candidates_ = std::max(candidates_, size_of(parameter));
    }
    return;
  }
  strides_.assign(parameters.size(), 1);
  for (std::size_t i = parameters.size(); i-- > 0;) {
    strides_[i] = candidates_;
    candidates_ *= size_of(parameters[i]);  // both are at most 1e9: no overflow
    if (candidates_ > kMaxCandidates) fail_size(sweep_);
  }
}

void SweepPlan::draw_strata() {
  strata_.resize(sweep_.parameters.size());
  for (std::size_t p = 0; p < strata_.size(); ++p) {
    auto& order = strata_[p];
    order.resize(sweep_.samples);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i-- > 1;) {
      const std::uint64_t other = drawn_bits(sweep_.seed, p, i) % (i + 1);
      std::swap(order[i], order[other]);
    }
  }
}

double SweepPlan::share(std::size_t parameter, std::uint64_t number) const {
  // Beyond the draws of the strata, which have the numbers below the samples.
  const std::uint64_t draw = strata_.empty() ? number : number + sweep_.samples;
  const double within = drawn_share(sweep_.seed, parameter, draw);
  if (strata_.empty()) return within;
  return (strata_[parameter][number] + within) / static_cast<double>(sweep_.samples);
}

Json SweepPlan::value(std::size_t parameter, std::uint64_t number) const {
  const SweepParameter& what = sweep_.parameters[parameter];
  if (const ContinuousRange* range = what.range()) return range->at(share(parameter, number));
  const std::vector<Json>& list = *what.list();
  std::uint64_t index = 0;
  if (!strides_.empty()) {
    index = number / strides_[parameter] % list.size();
  } else if (sweep_.mode == SweepMode::zip) {
    index = list.size() == 1 ? 0 : number;
  } else {
    index = static_cast<std::uint64_t>(share(parameter, number) * static_cast<double>(list.size()));
  }
  return list[std::min<std::uint64_t>(index, list.size() - 1)];
}

std::optional<SweepPoint> SweepPlan::point(std::uint64_t number) const {
  SweepPoint point{.number = number, .parameters = Json::object(), .error = {}};
  const auto& parameters = sweep_.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    point.parameters[parameters[i].path] =
        parameters[i].expression() != nullptr ? Json() : value(i, number);
  }
  const auto lookup = [&](const std::string& name) -> const Json* {
    const auto found = point.parameters.find(name);
    return found == point.parameters.end() ? nullptr : &*found;
  };
  std::string at;
  try {
    for (const std::size_t i : sweep_.evaluation_order) {
      at = parameters[i].path;
      Json result = parameters[i].expression()->evaluate(lookup);
      point.parameters[at] = std::move(result);
    }
    for (const Expression& constraint : sweep_.constraints) {
      at = constraint.text();
      if (!constraint.holds(lookup)) return std::nullopt;
    }
  } catch (const ExpressionError& error) {
    point.error = fmt::format("{}: {}", at, error.what());
  }
  return point;
}

std::string SweepPlan::task(const SweepPoint& point) const {
  Json task = {{"point", point.number}};
  if (!sweep_.arch.is_null()) task["arch"] = sweep_.arch;
  if (!sweep_.workload.is_null()) task["workload"] = sweep_.workload;
  task["fidelity"] = sweep_.fidelity;
  task["folder"] = sweep_.folder.string();
  task["parameters"] = point.parameters;
  task["objectives"] = Json::array();
  for (const SweepObjective& objective : sweep_.objectives) {
    task["objectives"].push_back({{"name", objective.name}, {"value", objective.value.text()}});
  }
  if (sweep_.reports) task["reports"] = true;
  return task.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilewave
