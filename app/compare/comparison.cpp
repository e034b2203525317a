// SPDX-License-Identifier: Apache-2.0
#include "app/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace tilewave {
namespace {

/// Values of a layer or a run, in the order of kComparedQuantities.
using Values = std::array<Json, kComparedQuantities.size()>;
constexpr std::size_t kTime = 1;

std::uint64_t count_in(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? 0 : it->get<std::uint64_t>();
}

double energy_of(const Json& layer) {
  double sum = 0;
  if (const auto it = layer.find("energy_j"); it != layer.end()) {
    for (const auto& [name, joules] : it->items()) sum += joules.get<double>();
  }
  return sum;
}

Values values_of_layer(const Json& layer) {
  std::uint64_t dram_bytes = 0;
  if (const auto traffic = layer.find("traffic"); traffic != layer.end()) {
    if (const auto dram = traffic->find("dram"); dram != traffic->end()) {
      dram_bytes = count_in(*dram, "read_bytes") + count_in(*dram, "write_bytes");
    }
  }
  return {layer["cycles"], layer["time_s"], layer["utilization"], dram_bytes, energy_of(layer)};
}

Values values_of_total(const Json& total) {
  return {total["cycles"], total["time_s"], total["utilization"],
          count_in(total, "dram_read_bytes") + count_in(total, "dram_write_bytes"),
          total["energy_j"]};
}

/// Names of the layers of a report, equal ones numbered.
std::vector<std::string> numbered(const std::vector<std::string>& names) {
  std::unordered_map<std::string, std::size_t> seen;
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::size_t nth = ++seen[name];
    out.push_back(nth == 1 ? name : fmt::format("{} ({})", name, nth));
  }
  return out;
}

/// Rows of the comparison as they are collected: a value a run, null where there is none.
struct Row {
  std::string name;
  std::vector<Values> runs;
};

Json row_json(const Row& row) {
  Json out = Json::object();
  if (!row.name.empty()) out["name"] = row.name;
  for (std::size_t q = 0; q < kComparedQuantities.size(); ++q) {
    Json& list = out[std::string(kComparedQuantities[q])] = Json::array();
    for (const Values& values : row.runs) list.push_back(values[q]);
  }
  Json& speedup = out["speedup"] = Json::array({nullptr});
  const Json& first = row.runs.front()[kTime];
  for (std::size_t i = 1; i < row.runs.size(); ++i) {
    const Json& own = row.runs[i][kTime];
    const bool has = first.is_number() && own.is_number() && own.get<double>() > 0;
    speedup.push_back(has ? Json(first.get<double>() / own.get<double>()) : Json());
  }
  return out;
}

std::vector<Row> layer_rows(std::span<const ReportFile> reports) {
  std::vector<Row> rows;
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t run = 0; run < reports.size(); ++run) {
    const Json& layers = reports[run].report["layers"];
    std::vector<std::string> names;
    for (const Json& layer : layers) names.push_back(layer["name"].get<std::string>());
    names = numbered(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [it, is_new] = place.try_emplace(names[i], rows.size());
      if (is_new) rows.push_back({.name = names[i], .runs = std::vector<Values>(reports.size())});
      rows[it->second].runs[run] = values_of_layer(layers[i]);
    }
  }
  return rows;
}

Json largest_differences(const std::vector<Row>& rows, std::size_t run) {
  std::vector<std::pair<double, const Row*>> differences;
  for (const Row& row : rows) {
    const Json& first = row.runs.front()[kTime];
    const Json& own = row.runs[run][kTime];
    if (!first.is_number() || !own.is_number()) continue;
    const double difference = std::abs(own.get<double>() - first.get<double>());
    if (difference > 0) differences.emplace_back(difference, &row);
  }
  std::ranges::stable_sort(differences, std::greater<>(), [](const auto& d) { return d.first; });
  Json out = Json::array();
  for (std::size_t i = 0; i < std::min(kMostDifferences, differences.size()); ++i) {
    out.push_back(differences[i].second->name);
  }
  return out;
}

}  // namespace

std::vector<std::string> run_labels(std::span<const ReportFile> reports,
                                    const std::vector<std::string>& given,
                                    const std::string& option) {
  if (!given.empty()) {
    if (given.size() != reports.size()) {
      throw ConfigError(
          Fault{.file = option,
                .path = "",
                .message = fmt::format("are {}, there are {} runs", given.size(), reports.size())});
    }
    for (auto it = given.begin(); it != given.end(); ++it) {
      if (std::find(given.begin(), it, *it) != it) {
        throw ConfigError(Fault{
            .file = option, .path = "", .message = fmt::format("\"{}\" is given twice", *it)});
      }
    }
    return given;
  }
  std::vector<std::string> machines;
  std::vector<std::string> workloads;
  std::vector<std::string> both;
  for (const ReportFile& r : reports) {
    machines.push_back(r.report["arch"]["name"].get<std::string>());
    workloads.push_back(r.report["workload"]["name"].get<std::string>());
    both.push_back(workloads.back() + " on " + machines.back());
  }
  const auto all_equal = [](const std::vector<std::string>& names) {
    return std::ranges::all_of(names, [&](const std::string& n) { return n == names.front(); });
  };
  return numbered(all_equal(workloads) ? machines : all_equal(machines) ? workloads : both);
}

Json compare_reports(std::span<const ReportFile> reports, std::span<const std::string> labels) {
  Json out = Json::object();
  Json& runs = out["runs"] = Json::array();
  Row total{.name = {}, .runs = {}};
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Json& report = reports[i].report;
    Json run = {{"label", labels[i]},
                {"arch", report["arch"]["name"]},
                {"workload", report["workload"]["name"]}};
    if (report.contains("fidelity")) run["fidelity"] = report["fidelity"];
    runs.push_back(std::move(run));
    total.runs.push_back(values_of_total(report["total"]));
  }
  const std::vector<Row> rows = layer_rows(reports);
  out["total"] = row_json(total);
  Json& layers = out["layers"] = Json::array();
  for (const Row& row : rows) layers.push_back(row_json(row));
  Json& differences = out["largest_differences"] = Json::array();
  for (std::size_t run = 1; run < reports.size(); ++run) {
    differences.push_back(largest_differences(rows, run));
  }
  return out;
}

Json comparison_page_data(const Json& comparison, std::span<const ReportFile> reports) {
  Json data = {{"comparison", comparison}, {"reports", Json::array()}};
  for (const ReportFile& r : reports) data["reports"].push_back(r.report);
  return data;
}

}  // namespace tilewave
