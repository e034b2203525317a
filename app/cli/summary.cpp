// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/report_values.hpp"
#include "app/cli/table.hpp"
#include "app/cli/text.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kSlowest = 3;
/// If busy arrays have work for less than this share of their multipliers, that is worth saying.
constexpr double kPoorUse = 0.6;

/// Bytes are whole: below a thousand, no digits after the point.
std::string bytes(double count) {
  return count < 1000 ? fmt::format("{:.0f} B", count) : si(count, "B");
}

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
    const std::string bound = text_at(row, "bound");
    return bound.empty() ? "" : "bound by " + bound;
  }
  std::string words = fmt::format("{} {:.0f} % of {}", cycle_class_in_words(largest->name),
                                  100 * largest->share, of_what);
  const auto use = number_at(row, "utilization");
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
    memory("L2", "total.l2_read_bytes", "total.l2_write_bytes");
    memory("host link", "total.host_read_bytes", "total.host_write_bytes");
    levels();
    links();
    energy();
    all_chips();
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
      const std::string dtype = text_at(layer, "dtype");
      return dtype.starts_with("int") && dtype.find("only") == std::string::npos;
    });
  }

  void throughput() {
    std::string words;
    if (const auto rate = number_at(report_, "total.achieved_tflops")) {
      words = si(*rate * 1e12, counts_integers() ? "OPS" : "FLOPS");
    }
    if (const auto use = number_at(report_, "total.utilization")) {
      words += fmt::format("{}{} of the arrays' peak", words.empty() ? "" : ", ", percent(*use));
    }
    entry("throughput", words);
  }

  void memory(std::string_view title, std::string_view read, std::string_view write) {
    const double read_bytes = number_at(report_, read).value_or(0);
    const double write_bytes = number_at(report_, write).value_or(0);
    if (read_bytes + write_bytes <= 0) {
      return;
    }
    std::string words = fmt::format("{} read, {} written", bytes(read_bytes), bytes(write_bytes));
    if (const auto seconds = number_at(report_, "total.time_s"); seconds && *seconds > 0) {
      words += fmt::format(", {:.2f} GB/s", (read_bytes + write_bytes) * 1e-9 / *seconds);
    }
    entry(title, words);
  }

  /// From the cubes outwards.
  void levels() {
    const Json* levels = find_value(report_, "total.levels");
    if (levels == nullptr || !levels->is_object()) {
      return;
    }
    std::string words;
    for (const auto& [name, level] : levels->items()) {
      const auto rate = number_at(level, "gb_per_s");
      const auto peak = number_at(level, "peak_gb_per_s");
      if (!rate || !peak) continue;
      std::string title = name;
      std::ranges::transform(title, title.begin(), [](char c) {
        return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      });
      words += fmt::format("{}{} {} of {}", words.empty() ? "" : "; ", title,
                           si(*rate * 1e9, "B/s"), si(*peak * 1e9, "B/s"));
    }
    entry("levels", words);
  }

  void links() {
    const double received = number_at(report_, "total.link_bytes").value_or(0);
    if (received <= 0) {
      return;
    }
    std::string words = fmt::format("{} received, as much sent", bytes(received));
    if (const auto seconds = number_at(report_, "total.time_s"); seconds && *seconds > 0) {
      words += fmt::format(", {:.2f} GB/s each way", received * 1e-9 / *seconds);
    }
    entry("links", words);
  }

  void all_chips() {
    const auto chips = number_at(report_, "total.all_chips.chips");
    const auto rate = number_at(report_, "total.all_chips.achieved_tflops");
    const auto peak = number_at(report_, "total.all_chips.peak_tflops");
    if (!chips || !rate || !peak) {
      return;
    }
    const auto unit = counts_integers() ? "OPS" : "FLOPS";
    entry("all chips", fmt::format("{:.0f} alike: {} of {} at most; all else here is of one chip",
                                   *chips, si(*rate * 1e12, unit), si(*peak * 1e12, unit)));
  }

  void energy() {
    const auto joules = number_at(report_, "total.energy_j");
    const auto watts = number_at(report_, "total.average_power_w");
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
    const double total = number_at(report_, "total.cycles").value_or(0);
    if (layers.size() < 2 || total <= 0) {
      return;
    }
    std::vector<const Json*> order;
    order.reserve(layers.size());
    for (const Json& layer : layers) {
      order.push_back(&layer);
    }
    std::ranges::stable_sort(order, std::greater<>(), [](const Json* layer) {
      return number_at(*layer, "cycles").value_or(0);
    });
    order.resize(std::min(order.size(), kSlowest));
    out_ += "\nslowest layers\n";
    for (const Json* layer : order) {
      const double share = number_at(*layer, "cycles").value_or(0) / total;
      const std::string lead = fmt::format("  {:>6}  ", percent(share));
      const std::string words =
          fmt::format("{}: {}", fitted(text_at(*layer, "name"), columns_ - lead.size() - 1),
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

}  // namespace

std::string cycle_class_in_words(const std::string& name) {
  static const std::vector<std::pair<std::string_view, std::string_view>> known{
      {"matrix_busy", "the arrays compute"},
      {"vector_busy", "the vector unit works and the arrays do not"},
      {"weight_load", "weights move into the arrays"},
      {"fill_drain", "the arrays fill and drain"},
      {"wait_weights", "the arrays wait for weights from DRAM"},
      {"wait_activations", "the arrays wait for activations from DRAM"},
      {"wait_output", "the arrays wait for room in the accumulators"},
      {"wait_dram", "the vector unit waits for data from DRAM"},
      {"wait_host", "the core waits for data over the host link"},
      {"wait_link", "data is on the way between the chips"},
      {"wait_store", "results are written off chip"},
      {"wait_cores", "cores that are done wait for the others"},
      {"launch", "ops are being started"},
      {"idle", "nothing but latencies passes"},
  };
  const auto found = std::ranges::find(known, name, [](const auto& entry) { return entry.first; });
  return found != known.end() ? std::string(found->second) : name;
}

std::string summary(const Json& report, std::size_t columns) {
  return Summary(report, columns).str();
}

}  // namespace tilewave
