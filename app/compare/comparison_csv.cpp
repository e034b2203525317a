// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/csv.hpp"
#include "app/compare/comparison.hpp"

namespace tilewave {
namespace {

void add_row(std::string& out, const std::string& name, const Json& row, std::size_t runs) {
  out += csv_cell(name);
  for (const std::string_view quantity : kComparedQuantities) {
    for (const Json& value : row[std::string(quantity)]) {
      out += ',';
      if (!value.is_null()) out += value.dump();
    }
  }
  for (std::size_t run = 1; run < runs; ++run) {
    const Json& value = row["speedup"][run];
    out += ',';
    if (!value.is_null()) out += value.dump();
  }
  out += '\n';
}

}  // namespace

std::string comparison_csv(const Json& comparison) {
  const Json& runs = comparison["runs"];
  std::string out = "layer";
  const auto column = [&](std::string_view quantity, std::size_t run) {
    out += ',' + csv_cell(std::string(quantity) + '.' + runs[run]["label"].get<std::string>());
  };
  for (const std::string_view quantity : kComparedQuantities) {
    for (std::size_t run = 0; run < runs.size(); ++run) column(quantity, run);
  }
  for (std::size_t run = 1; run < runs.size(); ++run) column("speedup", run);
  out += '\n';
  for (const Json& layer : comparison["layers"]) {
    add_row(out, layer["name"].get<std::string>(), layer, runs.size());
  }
  add_row(out, "total", comparison["total"], runs.size());
  return out;
}

}  // namespace tilewave
