// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/report_values.hpp"
#include "app/cli/text.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kLeastNameColumns = 12;

/// si() with the unit at one place in a column, whether there is a prefix or not.
std::string si_cell(double value, std::string_view unit) {
  const std::string plain = si(value, unit);
  const auto space = plain.find(' ');
  return plain.substr(0, space + 1) + left(plain.substr(space + 1), 1 + unit.size());
}

struct Column {
  std::string title;
  std::vector<std::string> cells;  ///< empty: nothing to show in this row
  int importance = 0;              ///< the least important go first if the lines get too long

  [[nodiscard]] std::size_t width() const {
    std::size_t width = width_of(title);
    for (const std::string& cell : cells) {
      width = std::max(width, width_of(cell));
    }
    return width;
  }
  [[nodiscard]] bool is_empty() const {
    return std::ranges::all_of(cells, [](const std::string& cell) { return cell.empty(); });
  }
};

/// One row for each layer and one for the total.
class LayerTable {
 public:
  LayerTable(const Json& report, std::size_t limit) : report_(report), limit_(limit) {
    const auto cell = [](const std::optional<double>& value, auto&& show) {
      return value ? show(*value) : std::string();
    };
    const auto count = [](double value) { return fmt::format("{:.0f}", value); };
    const auto macs = [](double value) { return si_cell(value, ""); };
    const auto time = [](double value) { return si_cell(value, "s"); };
    const auto rate = [](double value) { return fmt::format("{:.2f}", value); };
    add("cycles", 6, [&](const Json& row) { return cell(number_at(row, "cycles"), count); });
    add("time", 5, [&](const Json& row) { return cell(number_at(row, "time_s"), time); });
    add("MACs", 2, [&](const Json& row) { return cell(number_at(row, "macs"), macs); });
    add("util", 4, [&](const Json& row) { return cell(number_at(row, "utilization"), percent); });
    add("bound", 3, [&](const Json& row) { return text_at(row, "bound"); });
    add("DRAM GB/s", 1, [&](const Json& row) {
      const auto in_total = number_at(row, "dram_gb_per_s");
      return cell(in_total ? in_total : number_at(row, "traffic.dram.gb_per_s"), rate);
    });
    std::erase_if(columns_, [](const Column& column) { return column.is_empty(); });
    fit();
  }

  [[nodiscard]] std::string str() const {
    std::string out = line("layer", [](const Column& column) { return column.title; });
    const auto& layers = layers_of(report_);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      out +=
          line(text_at(layers[i], "name"), [i](const Column& column) { return column.cells[i]; });
    }
    const std::string rule(std::min(limit_, line_width(name_columns_)), '-');
    return out + rule + '\n' +
           line("total", [](const Column& column) { return column.cells.back(); });
  }

 private:
  template <typename Show>
  void add(std::string title, int importance, Show&& show) {
    Column column{.title = std::move(title), .cells = {}, .importance = importance};
    for (const Json& layer : layers_of(report_)) {
      column.cells.push_back(show(layer));
    }
    const Json* total = find_value(report_, "total");
    column.cells.push_back(total != nullptr ? show(*total) : std::string());
    columns_.push_back(std::move(column));
  }

  [[nodiscard]] std::size_t line_width(std::size_t name_columns) const {
    std::size_t width = name_columns;
    for (const Column& column : columns_) {
      width += 2 + column.width();
    }
    return width;
  }

  /// Gives the names the room that is left; leaves out columns until there is some.
  void fit() {
    std::size_t longest = width_of("layer");
    for (const Json& layer : layers_of(report_)) {
      longest = std::max(longest, width_of(text_at(layer, "name")));
    }
    const std::size_t least = std::min(longest, kLeastNameColumns);
    while (line_width(least) > limit_ && !columns_.empty()) {
      columns_.erase(std::ranges::min_element(columns_, {}, &Column::importance));
    }
    name_columns_ = std::min(longest, least + limit_ - std::min(limit_, line_width(least)));
  }

  template <typename Cell>
  [[nodiscard]] std::string line(const std::string& name, Cell&& cell) const {
    std::string out = left(fitted(name, name_columns_), name_columns_);
    for (const Column& column : columns_) {
      const bool is_text = column.title == "bound";
      out += "  " +
             (is_text ? left(cell(column), column.width()) : right(cell(column), column.width()));
    }
    while (!out.empty() && out.back() == ' ') {
      out.pop_back();
    }
    return out + '\n';
  }

  const Json& report_;
  std::size_t limit_;
  std::vector<Column> columns_;
  std::size_t name_columns_ = 0;
};

}  // namespace

std::string layer_table(const Json& report, std::size_t columns) {
  return LayerTable(report, columns).str();
}

}  // namespace tilewave
