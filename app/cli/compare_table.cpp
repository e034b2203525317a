// SPDX-License-Identifier: Apache-2.0
#include "app/cli/compare_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/cli/report_values.hpp"
#include "app/cli/text.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kWidest = 40;  // of a name, whatever room there is

/// "1.25x": how many times as fast; "-": not in both.
std::string ratio(const Json& value) {
  return value.is_number() ? fmt::format("{:.3g}x", value.get<double>()) : "-";
}

std::string seconds(const Json& value) {
  return value.is_number() ? si(value.get<double>(), "s") : "-";
}

std::string label_of(const Json& comparison, std::size_t run) {
  return comparison["runs"][run]["label"].get<std::string>();
}

/// Names left, cells right, each column as wide as its widest cell. The first row is the head.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::size_t others = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) others += widths[i] + kGap;
  constexpr std::size_t kLeastName = 8;
  const std::size_t room = columns > others + kLeastName ? columns - others : kLeastName;
  widths[0] = std::min({widths[0], room, kWidest});
  std::string out;
  for (const auto& row : rows) {
    std::string line = left(fitted(row[0], widths[0]), widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += right(row[i], widths[i] + kGap);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

std::string totals(const Json& comparison, std::size_t columns) {
  std::vector<std::vector<std::string>> rows{
      {"run", "cycles", "time", "util", "DRAM", "energy", "speedup"}};
  const Json& total = comparison["total"];
  for (std::size_t run = 0; run < comparison["runs"].size(); ++run) {
    rows.push_back({label_of(comparison, run), total["cycles"][run].dump(),
                    seconds(total["time_s"][run]), percent(total["utilization"][run].get<double>()),
                    si(total["dram_bytes"][run].get<double>(), "B"),
                    si(total["energy_j"][run].get<double>(), "J"),
                    run == 0 ? "" : ratio(total["speedup"][run])});
  }
  return aligned(rows, columns);
}

/// "conv1 takes 1.2 ms less, fc 80 us more".
std::string differences(const Json& comparison, std::size_t run) {
  std::string words;
  for (const Json& name : comparison["largest_differences"][run - 1]) {
    const auto& layers = comparison["layers"].get_ref<const Json::array_t&>();
    const auto layer =
        std::ranges::find_if(layers, [&](const Json& l) { return l["name"] == name; });
    const double more = (*layer)["time_s"][run].get<double>() - (*layer)["time_s"][0].get<double>();
    words += fmt::format("{}{} {} {} ({})", words.empty() ? "" : ", ",
                         fitted(name.get<std::string>(), kWidest), si(std::abs(more), "s"),
                         more < 0 ? "less" : "more", ratio((*layer)["speedup"][run]));
  }
  return words.empty() ? "no layer's time differs" : words;
}

std::string layers(const Json& comparison, std::size_t run, std::size_t columns) {
  constexpr std::size_t kIndent = 2;
  const std::string first = label_of(comparison, 0);
  const std::string own = label_of(comparison, run);
  constexpr std::size_t kHead = 14;
  std::vector<std::vector<std::string>> rows{
      {"layer", fitted(first, kHead), fitted(own, kHead), "speedup"}};
  for (const Json& layer : comparison["layers"]) {
    rows.push_back({layer["name"].get<std::string>(), seconds(layer["time_s"][0]),
                    seconds(layer["time_s"][run]), ratio(layer["speedup"][run])});
  }
  return wrapped(own + " against " + first + ":", columns, kIndent) + '\n' +
         aligned(rows, columns) +
         wrapped("largest differences in time: " + differences(comparison, run), columns, kIndent) +
         '\n';
}

}  // namespace

std::string comparison_table(const Json& comparison, std::size_t columns) {
  std::string out = totals(comparison, columns);
  for (std::size_t run = 1; run < comparison["runs"].size(); ++run) {
    out += '\n' + layers(comparison, run, columns);
  }
  return out;
}

}  // namespace tilewave
