// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_csv.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "app/cli/csv.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 16U;

/// Calls take(path, value) for each number, text or flag below `json`.
template <typename Take>
void leaves(const std::string& path, const Json& json, const Take& take) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) leaves(join_key(path, key), value, take);
  } else if (!json.is_array()) {
    take(path, json);
  }
}

std::string cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return csv_cell(value.get<std::string>());
  return csv_cell(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The names of the totals, in the order in which they come up.
std::vector<std::string> total_columns(SweepStore& store) {
  std::vector<std::string> columns;
  std::unordered_set<std::string> known;
  store.each([&](const PointResult& result) {
    leaves("total", result.total, [&](const std::string& path, const Json& value) {
      if (!value.is_null() && known.insert(path).second) columns.push_back(path);
    });
  });
  return columns;
}

}  // namespace

void write_sweep_csv(const SweepPlan& plan, SweepStore& store,
                     const std::function<void(std::string_view)>& take) {
  const Sweep& sweep = plan.sweep();
  const std::vector<std::string> totals = total_columns(store);
  std::vector<std::string> objectives;
  for (const SweepObjective& objective : sweep.objectives) {
    if (std::ranges::find(totals, objective.name) == totals.end()) {
      objectives.push_back(objective.name);
    }
  }
  std::string part = "point";
  for (const SweepParameter& parameter : sweep.parameters) part += ',' + csv_cell(parameter.path);
  for (const std::string& name : objectives) part += ',' + csv_cell(name);
  for (const std::string& name : totals) part += ',' + csv_cell(name);
  part += ",error\n";
  store.each([&](const PointResult& result) {
    part += fmt::format("{}", result.number);
    for (const SweepParameter& parameter : sweep.parameters) {
      part += ',' + cell(result.parameters.value(parameter.path, Json()));
    }
    for (const std::string& name : objectives) {
      part +=
          ',' + (result.objectives.is_null() ? "" : cell(result.objectives.value(name, Json())));
    }
    const Json report = {{"total", result.total}};
    for (const std::string& path : totals) {
      const Json* value = find_value(report, path);
      part += ',' + (value == nullptr ? "" : cell(*value));
    }
    part += ',' + csv_cell(result.error) + '\n';
    if (part.size() < kPartBytes) return;
    take(part);
    part.clear();
  });
  take(part);
}

}  // namespace tilewave
