// SPDX-License-Identifier: Apache-2.0
#include "app/cli/table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "app/cli/text.hpp"
#include "app/library/arch_library.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kLeastTableColumns = 40;
constexpr std::size_t kLeastNameColumns = 12;
constexpr std::size_t kSlowest = 3;
/// Below this share of the cycles that arrays are busy, their own work is not what to name.
constexpr double kPoorUse = 0.6;

std::optional<double> number(const Json& json, std::string_view path) {
  const Json* value = find_value(json, path);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>())
                                                : std::nullopt;
}

std::string text(const Json& json, std::string_view path) {
  const Json* value = find_value(json, path);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// si() with the unit at one place in a column, whether there is a prefix or not.
std::string si_cell(double value, std::string_view unit) {
  const std::string plain = si(value, unit);
  const auto space = plain.find(' ');
  return plain.substr(0, space + 1) + left(plain.substr(space + 1), 1 + unit.size());
}

/// Bytes are whole: below a thousand, no digits after the point.
std::string bytes(double count) {
  return count < 1000 ? fmt::format("{:.0f} B", count) : si(count, "B");
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

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

const std::vector<Json>& layers_of(const Json& report) {
  static const std::vector<Json> kNone;
  const Json* layers = find_value(report, "layers");
  return layers != nullptr && layers->is_array() ? layers->get_ref<const Json::array_t&>() : kNone;
}

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
    add("cycles", 6, [&](const Json& row) { return cell(number(row, "cycles"), count); });
    add("time", 5, [&](const Json& row) { return cell(number(row, "time_s"), time); });
    add("MACs", 2, [&](const Json& row) { return cell(number(row, "macs"), macs); });
    add("util", 4, [&](const Json& row) { return cell(number(row, "utilization"), percent); });
    add("bound", 3, [&](const Json& row) { return text(row, "bound"); });
    add("DRAM GB/s", 1, [&](const Json& row) {
      const auto in_total = number(row, "dram_gb_per_s");
      return cell(in_total ? in_total : number(row, "traffic.dram.gb_per_s"), rate);
    });
    std::erase_if(columns_, [](const Column& column) { return column.is_empty(); });
    fit();
  }

  [[nodiscard]] std::string str() const {
    std::string out = line("layer", [](const Column& column) { return column.title; });
    const auto& layers = layers_of(report_);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      out += line(text(layers[i], "name"), [i](const Column& column) { return column.cells[i]; });
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
      longest = std::max(longest, width_of(text(layer, "name")));
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

/// The class with most cycles, and its share; nothing without a breakdown.
struct LargestClass {
  std::string name;
  double share = 0;
};
std::optional<LargestClass> largest_class(const Json& row) {
  const Json* breakdown = find_value(row, "breakdown");
  if (breakdown == nullptr || !breakdown->is_object()) {
    return std::nullopt;
  }
  LargestClass largest;
  double most = 0;
  double all = 0;
  for (const auto& [name, value] : breakdown->items()) {
    const double cycles = value.is_number() ? value.get<double>() : 0.0;
    all += cycles;
    if (cycles > most) {
      most = cycles;
      largest.name = name;
    }
  }
  if (all <= 0) {
    return std::nullopt;
  }
  largest.share = most / all;
  return largest;
}

/// "the arrays wait for weights from DRAM 61 % of the time".
std::string reason(const Json& row, std::string_view of_what) {
  const auto largest = largest_class(row);
  if (!largest) {
    const std::string bound = text(row, "bound");
    return bound.empty() ? "" : "bound by " + bound;
  }
  std::string words = fmt::format("{} {:.0f} % of {}", cycle_class_in_words(largest->name),
                                  100 * largest->share, of_what);
  const auto use = number(row, "utilization");
  if (largest->name == "matrix_busy" && use && *use < kPoorUse * largest->share) {
    const double at_work = 100 * *use / largest->share;
    words += fmt::format(", with work for {} % of their multipliers",
                         at_work < 1 ? "less than 1" : fmt::format("{:.0f}", at_work));
  }
  return words;
}

class Summary {
 public:
  Summary(const Json& report, std::size_t columns) : report_(report), columns_(columns) {}

  std::string str() {
    throughput();
    memory("DRAM", "total.dram_read_bytes", "total.dram_write_bytes");
    memory("host link", "total.host_read_bytes", "total.host_write_bytes");
    energy();
    slowest();
    bottleneck();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kIndent = 12;

  void entry(std::string_view title, const std::string& words) {
    if (!words.empty()) {
      out_ += left(title, kIndent) + wrapped(words, columns_, kIndent, kIndent) + '\n';
    }
  }

  [[nodiscard]] bool counts_integers() const {
    const auto& layers = layers_of(report_);
    return !layers.empty() && std::ranges::all_of(layers, [](const Json& layer) {
      const std::string dtype = text(layer, "dtype");
      return dtype.starts_with("int") && dtype.find("only") == std::string::npos;
    });
  }

  void throughput() {
    std::string words;
    if (const auto rate = number(report_, "total.achieved_tflops")) {
      words = si(*rate * 1e12, counts_integers() ? "OPS" : "FLOPS");
    }
    if (const auto use = number(report_, "total.utilization")) {
      words += fmt::format("{}{} of the arrays' peak", words.empty() ? "" : ", ", percent(*use));
    }
    entry("throughput", words);
  }

  void memory(std::string_view title, std::string_view read, std::string_view write) {
    const double read_bytes = number(report_, read).value_or(0);
    const double write_bytes = number(report_, write).value_or(0);
    if (read_bytes + write_bytes <= 0) {
      return;
    }
    std::string words = fmt::format("{} read, {} written", bytes(read_bytes), bytes(write_bytes));
    if (const auto seconds = number(report_, "total.time_s"); seconds && *seconds > 0) {
      words += fmt::format(", {:.2f} GB/s", (read_bytes + write_bytes) * 1e-9 / *seconds);
    }
    entry(title, words);
  }

  void energy() {
    const auto joules = number(report_, "total.energy_j");
    const auto watts = number(report_, "total.average_power_w");
    if (!joules || *joules <= 0) {
      return;
    }
    std::string words = si(*joules, "J");
    if (watts) {
      words += fmt::format(", {} on average", si(*watts, "W"));
    }
    entry("energy", words);
  }

  void slowest() {
    const auto& layers = layers_of(report_);
    const double total = number(report_, "total.cycles").value_or(0);
    if (layers.size() < 2 || total <= 0) {
      return;
    }
    std::vector<const Json*> order;
    for (const Json& layer : layers) {
      order.push_back(&layer);
    }
    std::ranges::stable_sort(order, std::greater<>(), [](const Json* layer) {
      return number(*layer, "cycles").value_or(0);
    });
    order.resize(std::min(order.size(), kSlowest));
    out_ += "\nslowest layers\n";
    for (const Json* layer : order) {
      const double share = number(*layer, "cycles").value_or(0) / total;
      const std::string lead = fmt::format("  {:>6}  ", percent(share));
      const std::string words =
          fmt::format("{}: {}", fitted(text(*layer, "name"), columns_ - lead.size() - 1),
                      reason(*layer, "its time"));
      out_ += lead + wrapped(words, columns_, lead.size() + 2, lead.size()) + '\n';
    }
  }

  void bottleneck() {
    const Json* total = find_value(report_, "total");
    const std::string words = total != nullptr ? reason(*total, "the time") : std::string();
    if (!words.empty()) {
      out_ += '\n';
      entry("bottleneck", words + ".");
    }
  }

  const Json& report_;
  std::size_t columns_;
  std::string out_;
};

std::string header(const Json& report, std::size_t columns) {
  std::string words =
      fmt::format("{} on {}", text(report, "workload.name"), text(report, "arch.name"));
  if (const Json* arch = find_value(report, "arch"); arch != nullptr) {
    words += fmt::format(" ({})", describe_arch(*arch));
  }
  if (const std::string fidelity = text(report, "fidelity"); !fidelity.empty()) {
    words += ", " + fidelity;
  }
  return wrapped(words, columns, 2) + '\n';
}

}  // namespace

std::string cycle_class_in_words(const std::string& name) {
  static const std::vector<std::pair<std::string_view, std::string_view>> kWords{
      {"matrix_busy", "the arrays compute"},
      {"vector_busy", "the vector unit works and the arrays do not"},
      {"weight_load", "weights move into the arrays"},
      {"fill_drain", "the arrays fill and drain"},
      {"wait_weights", "the arrays wait for weights from DRAM"},
      {"wait_activations", "the arrays wait for activations from DRAM"},
      {"wait_output", "the arrays wait for room in the accumulators"},
      {"wait_dram", "the vector unit waits for data from DRAM"},
      {"wait_host", "the core waits for data over the host link"},
      {"wait_store", "results are written off chip"},
      {"idle", "nothing but latencies passes"},
  };
  const auto found = std::ranges::find(kWords, name, [](const auto& entry) { return entry.first; });
  return found != kWords.end() ? std::string(found->second) : name;
}

std::string report_table(const Json& report, std::size_t columns) {
  const std::size_t limit = std::max(columns, kLeastTableColumns);
  return header(report, limit) + '\n' + LayerTable(report, limit).str() + '\n' +
         Summary(report, limit).str();
}

}  // namespace tilewave
