// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/text.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kLeastColumns = 40;
constexpr std::size_t kGap = 2;

/// "1.235 M", with the unit that ends the name of a report's field.
std::string number_text(const std::string& name, double value) {
  std::string_view unit;
  for (const auto& [end, symbol] :
       {std::pair<std::string_view, std::string_view>{"_j", "J"}, {"_s", "s"}, {"_w", "W"}}) {
    if (name.ends_with(end) && !name.ends_with("_per_s")) unit = symbol;
  }
  if (name.ends_with("utilization") || name.ends_with("efficiency") || name.ends_with("hit_rate")) {
    return fmt::format("{:.1f} %", 100 * value);
  }
  std::string text = value < 0 ? "-" + si(-value, unit) : si(value, unit);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// Rows of cells: those of the first `right_columns` to the right, the last one cut to what is left of `columns`.
std::string laid_out(const std::vector<std::vector<std::string>>& rows, std::size_t right_columns,
                     std::size_t columns) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += std::string(line.empty() ? 0 : kGap, ' ');
      if (i + 1 == row.size() && i >= right_columns) {
        const std::size_t used = width_of(line);
        line += fitted(row[i], columns > used ? columns - used : 0);
        continue;
      }
      line += i < right_columns ? right(row[i], widths[i]) : left(row[i], widths[i]);
    }
    while (line.ends_with(' ')) line.pop_back();
    out += fitted(line, columns) + '\n';
  }
  return out;
}

class Page {
 public:
  Page(const Sweep& sweep, std::size_t columns) : sweep_(sweep), columns_(columns) {
    std::vector<std::string> paths, names;
    for (const SweepParameter& parameter : sweep.parameters) paths.push_back(parameter.path);
    for (const SweepObjective& objective : sweep.objectives) names.push_back(objective.name);
    names_ = short_names(paths);
    objective_names_ = short_names(names);
  }

  [[nodiscard]] std::string points(const std::vector<SummaryRow>& rows) const {
    std::vector<std::vector<std::string>> cells{{"point"}};
    for (const std::string& name : objective_names_) cells.front().push_back(name);
    cells.front().emplace_back("parameters");
    for (const SummaryRow& row : rows) {
      std::vector<std::string> line{fmt::format("{}", row.point)};
      for (std::size_t i = 0; i < row.objectives.size(); ++i) {
        line.push_back(number_text(sweep_.objectives[i].name, row.objectives[i]));
      }
      line.push_back(parameters(row.parameters));
      cells.push_back(std::move(line));
    }
    return laid_out(cells, cells.front().size() - 1, columns_);
  }

  [[nodiscard]] std::string sensitivities(const SweepObjective& objective,
                                          const SweepSummary::Objective& found) const {
    std::vector<std::vector<std::string>> cells{
        {"variation", "parameter", "best at", "mean", "worst at", "mean"}};
    for (const Sensitivity& s : found.sensitivities) {
      cells.push_back({fmt::format("{:.1f} %", 100 * s.share), name_of(s.path), s.best_at,
                       number_text(objective.name, s.best_mean), s.worst_at,
                       number_text(objective.name, s.worst_mean)});
    }
    return laid_out(cells, 1, columns_);
  }

  [[nodiscard]] std::string line(const std::string& text) const {
    return wrapped(text, columns_, kGap) + '\n';
  }

 private:
  [[nodiscard]] std::string name_of(const std::string& path) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (sweep_.parameters[i].path == path) return names_[i];
    }
    return path;
  }

  [[nodiscard]] std::string parameters(const Json& values) const {
    std::string text;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const SweepParameter& parameter = sweep_.parameters[i];
      const auto* list = parameter.list();
      const bool is_same_everywhere = list != nullptr && list->size() == 1;
      if (is_same_everywhere || parameter.expression() != nullptr) continue;  // known from the file
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", names_[i],
                          values.at(parameter.path).get<std::string>());
    }
    return text;
  }

  const Sweep& sweep_;
  std::size_t columns_;
  std::vector<std::string> names_, objective_names_;
};

std::string in_all(std::uint64_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::vector<std::size_t> parts(paths.size(), 1);
  const auto end_of = [&](std::size_t i) {
    std::size_t at = paths[i].size();
    for (std::size_t n = 0; n < parts[i] && at != std::string::npos && at != 0; ++n) {
      at = paths[i].rfind('.', at - 1);
    }
    return at == std::string::npos || at == 0 ? paths[i] : paths[i].substr(at + 1);
  };
  // An expression has points that are none of a path.
  const auto is_path = [&](std::size_t i) {
    return paths[i].find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]") ==
           std::string::npos;
  };
  std::vector<std::string> names(paths.size());
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, std::size_t> count;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      names[i] = is_path(i) ? end_of(i) : paths[i];
      ++count[names[i]];
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (count[names[i]] > 1 && names[i] != paths[i]) {
        ++parts[i];
        changed = true;
      }
    }
  }
  return names;
}

std::string sweep_table(const Sweep& sweep, const SweepCounts& counts, const SweepSummary& summary,
                        std::size_t columns) {
  const Page page(sweep, std::max(columns, kLeastColumns));
  std::string head = fmt::format("{}: {}", sweep.name, in_all(counts.points, "point"));
  if (counts.left_out > 0)
    head += fmt::format(", {} more left out by constraints", counts.left_out);
  if (summary.failed > 0) head += fmt::format(", {} failed", summary.failed);
  std::string out = page.line(head);
  for (std::size_t i = 0; i < summary.objectives.size() && summary.points > 0; ++i) {
    const SweepObjective& objective = sweep.objectives[i];
    const SweepSummary::Objective& found = summary.objectives[i];
    out += '\n' + page.line(fmt::format("best for {} ({} is better)", objective.name,
                                        objective.more_is_better ? "more" : "less"));
    out += page.points(found.best);
    if (found.sensitivities.empty()) continue;
    out +=
        '\n' + page.line(fmt::format("what {} depends on ({} means over the other parameters)",
                                     objective.name, found.geometric ? "geometric" : "arithmetic"));
    out += page.sensitivities(objective, found);
  }
  if (summary.pareto_points > 0) {
    std::string names;
    for (const SweepObjective& objective : sweep.objectives) {
      names += (names.empty() ? "" : ", ") + objective.name;
    }
    out += '\n' + page.line(fmt::format("Pareto front of {}: {}", names,
                                        in_all(summary.pareto_points, "point")));
    out += page.points(summary.pareto);
    const auto rest = summary.pareto_points - summary.pareto.size();
    if (rest > 0) out += page.line(fmt::format("... and {} more", rest));
  }
  return out;
}

}  // namespace tilewave
