// SPDX-License-Identifier: Apache-2.0
#include "app/cli/validation_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/cli/report_values.hpp"
#include "app/cli/text.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kWorstShown = 3;  ///< of each score
constexpr std::size_t kCells = 8;
using Cells = std::array<std::string, kCells>;
const Cells kTitles{"rows", "mean", "median", "in 10", "in 20", "bias", "worst", "limit"};

bool in_points(const Json& score) { return text_at(score, "error") == "points"; }

/// "12.3 %", "4.5 pt".
std::string error_text(double error, bool points) {
  return fmt::format("{:.1f} {}", error, points ? "pt" : "%");
}

std::string limit_text(const Json& score) {
  const Json* limits = find_value(score, "limits");
  if (limits == nullptr || limits->empty()) return {};
  const bool points = in_points(score);
  std::string words;
  for (const char* name : {"mean", "median", "each"}) {
    if (const auto limit = number_at(*limits, name)) {
      const std::string value = fmt::format("{:.4g} {}", *limit, points ? "pt" : "%");
      words += fmt::format("{}{}{}", words.empty() ? "" : ", ",
                           std::string_view(name) == "mean" ? "" : std::string(name) + " ", value);
    }
  }
  if (limits->contains("each_column")) words += words.empty() ? "per row" : ", per row";
  return words;
}

Cells cells_of(const Json& score) {
  const bool points = in_points(score);
  const auto value = [&](const char* name) { return number_at(score, name).value_or(0); };
  return {
      fmt::format("{:.0f}", value("rows")),
      error_text(value("mean"), points),
      error_text(value("median"), points),
      fmt::format("{:.0f} %", value("within_10_pct")),
      fmt::format("{:.0f} %", value("within_20_pct")),
      points ? fmt::format("{:+.1f} pt", value("bias")) : fmt::format("x {:.3f}", value("bias")),
      error_text(value("worst"), points),
      limit_text(score)};
}

std::string name_of(const Json& score) {
  const std::string split = text_at(score, "split");
  return split.empty() ? text_at(score, "name") : "  " + split;
}

std::string score_lines(const std::vector<Json>& scores, std::size_t columns) {
  std::vector<Cells> rows{kTitles};
  for (const Json& score : scores) rows.push_back(cells_of(score));
  std::array<std::size_t, kCells> widths{};
  std::size_t all = 0;
  for (std::size_t c = 0; c < kCells; ++c) {
    for (const Cells& row : rows) widths[c] = std::max(widths[c], row[c].size());
    all += widths[c] + 2;
  }
  std::size_t names = 0;
  for (const Json& score : scores) names = std::max(names, width_of(name_of(score)));
  names = std::min(names, std::max<std::size_t>(columns - std::min(columns, all), 12));
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = left(fitted(i == 0 ? "" : name_of(scores[i - 1]), names), names);
    for (std::size_t c = 0; c < kCells; ++c) {
      line += "  " + (c + 1 == kCells ? rows[i][c] : right(rows[i][c], widths[c]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string exceeded_lines(const std::vector<Json>& scores, std::size_t columns) {
  std::string out;
  for (const Json& score : scores) {
    const Json* within = find_value(score, "within_limits");
    if (within == nullptr || within->get<bool>()) continue;
    out += wrapped(fmt::format("{}: the limit is EXCEEDED", text_at(score, "name")), columns, 2) +
           '\n';
  }
  return out;
}

std::string case_line(const Json& c, const Json& score, std::size_t columns) {
  const bool points = in_points(score);
  const std::string unit = text_at(score, "unit");
  std::string words =
      fmt::format("{}, {}: {:.4g} {}, measured {:.4g} {} ({:+.1f} {})", text_at(c, "label"),
                  text_at(score, "name"), number_at(c, "simulated").value_or(0), unit,
                  number_at(c, "measured").value_or(0), unit, number_at(c, "error").value_or(0),
                  points ? "points" : "%");
  if (const std::string reason = text_at(c, "reason"); !reason.empty()) words += ": " + reason;
  return "  " + wrapped(words, columns, 4, 2) + '\n';
}

std::string worst_lines(const Json& suite, std::size_t columns) {
  std::string out;
  for (const Json& score : suite.at("scores")) {
    if (score.contains("split")) continue;
    std::size_t shown = 0;
    for (const Json& c : suite.at("cases")) {
      if (shown == kWorstShown) break;
      if (text_at(c, "score") != text_at(score, "name")) continue;
      out += case_line(c, score, columns);
      ++shown;
    }
  }
  return out.empty() ? out : "worst\n" + out;
}

}  // namespace

std::string validation_table(const Json& suite, std::size_t columns) {
  std::string title = text_at(suite, "name");
  if (const std::string note = text_at(suite, "note"); !note.empty()) title += ": " + note;
  std::string out = wrapped(title, columns, 2) + '\n';
  if (const auto skipped = number_at(suite, "rows_skipped"); skipped && *skipped > 0) {
    out += fmt::format("{:.0f} more rows are left out, by the suite's rules\n", *skipped);
  }
  const double rows = number_at(suite, "rows").value_or(0);
  if (const auto all = number_at(suite, "rows_in_table"); all && *all > rows) {
    out += fmt::format("{:.0f} of {:.0f} rows, spread evenly over the table\n", rows, *all);
  }
  const auto scores = suite.at("scores").get<std::vector<Json>>();
  out += '\n' + score_lines(scores, columns) + exceeded_lines(scores, columns) + '\n';
  return out + worst_lines(suite, columns);
}

}  // namespace tilewave
