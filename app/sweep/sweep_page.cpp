// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/sweep/sample_table.hpp"
#include "tilewave/version.hpp"

namespace tilewave {
namespace {

/// Less is better, of each objective: a column a point is added to.
using Costs = std::vector<std::vector<double>>;

Costs costs_of(const Sweep& sweep, SweepStore& store) {
  Costs costs(sweep.objectives.size());
  store.each([&](const PointResult& result) {
    if (!result.error.empty()) return;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const SweepObjective& objective = sweep.objectives[i];
      const double value = result.objectives.at(objective.name).get<double>();
      costs[i].push_back(objective.more_is_better ? -value : value);
    }
  });
  return costs;
}

/// Of `count` points, which are shown.
std::vector<bool> shown_points(const Costs& costs, const std::vector<std::uint32_t>& front,
                               std::size_t count, std::size_t most) {
  std::vector<bool> shown(count, count <= most);
  if (count <= most) return shown;
  for (const std::uint32_t i : front) shown[i] = true;
  for (const auto& column : costs) {
    shown[static_cast<std::size_t>(std::ranges::min_element(column) - column.begin())] = true;
  }
  for (std::size_t i = 0; i < most; ++i) shown[i * count / most] = true;
  return shown;
}

Json objectives_json(const Sweep& sweep, const SweepSummary& summary) {
  Json list = Json::array();
  for (std::size_t i = 0; i < sweep.objectives.size(); ++i) {
    Json sensitivities = Json::array();
    for (const Sensitivity& s : summary.objectives.at(i).sensitivities) {
      sensitivities.push_back({{"path", s.path},
                               {"share", s.share},
                               {"best_at", s.best_at},
                               {"worst_at", s.worst_at},
                               {"best_mean", s.best_mean},
                               {"worst_mean", s.worst_mean}});
    }
    list.push_back({{"name", sweep.objectives[i].name},
                    {"more_is_better", sweep.objectives[i].more_is_better},
                    {"sensitivities", std::move(sensitivities)}});
  }
  return list;
}

Json failures_json(const SweepSummary& summary) {
  Json list = Json::array();
  for (const SweepSummary::Failure& failure : summary.failures) {
    list.push_back({{"point", failure.point}, {"error", failure.error}});
  }
  return list;
}

Json points_json(const Sweep& sweep, SweepStore& store, std::size_t most_points) {
  const Costs costs = costs_of(sweep, store);
  const std::size_t count = costs.empty() ? 0 : costs.front().size();
  std::vector<std::uint32_t> front;
  if (costs.size() > 1) front = pareto_front(costs);
  std::vector<bool> in_front(count);
  for (const std::uint32_t i : front) in_front[i] = true;
  const std::vector<bool> shown = shown_points(costs, front, count, most_points);
  Json points = Json::array();
  std::size_t place = 0;
  store.each([&](const PointResult& result) {
    if (!result.error.empty()) return;
    const std::size_t i = place++;
    if (!shown[i]) return;
    Json parameters = Json::array(), objectives = Json::array();
    for (const SweepParameter& parameter : sweep.parameters) {
      parameters.push_back(result.parameters.at(parameter.path));
    }
    for (const SweepObjective& objective : sweep.objectives) {
      objectives.push_back(result.objectives.at(objective.name));
    }
    Json point = {{"point", result.number},
                  {"parameters", std::move(parameters)},
                  {"objectives", std::move(objectives)}};
    if (in_front[i]) point["front"] = true;
    points.push_back(std::move(point));
  });
  return points;
}

std::string word_of(const Json& object, const char* key, const char* other) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : other;
}

/// A name as it is; a machine or workload that stands in the sweep itself by its own name, if it has one.
std::string name_of(const Json& what) {
  if (what.is_string()) return what.get<std::string>();
  return what.is_object() ? word_of(what, "name", "(in the sweep)") : "several";
}

}  // namespace

Json sweep_page_data(const SweepPlan& plan, SweepStore& store, const SweepSummary& summary,
                     std::size_t most_points) {
  const Sweep& sweep = plan.sweep();
  Json parameters = Json::array();
  for (const SweepParameter& parameter : sweep.parameters) parameters.push_back(parameter.path);
  return {{"tilewave", {{"version", kVersion}}},
          {"name", sweep.name},
          {"note", word_of(sweep.definition, "note", "")},
          {"arch", name_of(sweep.arch)},
          {"workload", name_of(sweep.workload)},
          {"fidelity", sweep.fidelity},
          {"mode", word_of(sweep.definition, "mode", "grid")},
          {"count", summary.points},
          {"failed", summary.failed},
          {"failures", failures_json(summary)},
          {"parameters", std::move(parameters)},
          {"objectives", objectives_json(sweep, summary)},
          {"points", points_json(sweep, store, most_points)}};
}

}  // namespace tilewave
