// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/report_values.hpp"
#include "app/cli/text.hpp"
#include "app/dram/dram_report.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kLeastTableColumns = 40;

/// Bytes are whole: below a thousand, no digits after the point.
std::string bytes(double count) {
  return count < 1000 ? fmt::format("{:.0f} B", count) : si(count, "B");
}

class Table {
 public:
  Table(const Json& report, std::size_t columns) : report_(report), columns_(columns) {}

  std::string str() {
    header();
    speed();
    entry("traffic", fmt::format("{} read, {} written", bytes(number("read_bytes")),
                                 bytes(number("write_bytes"))));
    latencies();
    rows();
    commands();
    entry("refresh", percent(number("refresh_share")) + " of the banks' time");
    channels();
    energy();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kIndent = 15;

  [[nodiscard]] double number(std::string_view path) const {
    return number_at(report_, path).value_or(0);
  }

  void entry(std::string_view title, const std::string& words) {
    out_ += left(title, kIndent) + wrapped(words, columns_, kIndent, kIndent) + '\n';
  }

  void header() {
    const std::string memory =
        fmt::format("{} ({})", text_at(report_, "preset"), text_at(report_, "memory"));
    const std::string trace = text_at(report_, "traffic.trace");
    std::string traffic = trace.empty() ? text_at(report_, "traffic.pattern") : trace;
    if (const auto stride = number_at(report_, "traffic.stride_bytes")) {
      traffic += fmt::format(" by {:.0f} bytes", *stride);
    }
    traffic += fmt::format(": {:.0f} request{} of {:.0f} bytes, {:.0f} in flight",
                           number("requests"), number("requests") == 1 ? "" : "s",
                           number("request_bytes"), number("in_flight"));
    out_ += wrapped(memory, columns_, 2) + '\n' + wrapped(traffic, columns_, 2) + "\n\n";
  }

  void speed() {
    entry("bandwidth", fmt::format("{:.2f} GB/s, {} of the peak of {:.4g} GB/s", number("gb_per_s"),
                                   percent(number("share_of_peak")), number("peak_gb_per_s")));
    entry("time", fmt::format("{:.0f} cycles at {:.4g} GHz, {}", number("cycles"),
                              number("clock_ghz"), si(number("time_s"), "s")));
  }

  void latency(std::string_view title, const std::string& path) {
    const auto value = [&](const char* key) { return number(path + "." + key); };
    entry(title, fmt::format("{:.1f} cycles on average ({}), half within {}, 99 % within {}, "
                             "all within {}",
                             value("mean"), si(value("mean") * 1e-9 / number("clock_ghz"), "s"),
                             value("p50"), value("p99"), value("max")));
  }

  void latencies() {
    if (find_value(report_, "read_latency_cycles") == nullptr) {
      latency("latency", "latency_cycles");
      return;
    }
    latency("read latency", "read_latency_cycles");
    latency("write latency", "write_latency_cycles");
  }

  void rows() {
    const double hits = number("row_hits"), closed = number("row_closed"),
                 conflicts = number("row_conflicts");
    const double all = std::max(hits + closed + conflicts, 1.0);
    entry("rows",
          fmt::format("{} of the bursts found theirs open, {} none, {} another one",
                      percent(hits / all), percent(closed / all), percent(conflicts / all)));
  }

  void commands() {
    std::string words;
    for (const auto& [name, count] : report_.at("commands").items()) {
      if (count.get<Count>() == 0) continue;
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, count.get<Count>());
    }
    entry("commands", words);
  }

  void channels() {
    std::string words = percent(number("channel_utilization.mean")) + " of the time busy";
    if (number("channels") > 1) {
      words += fmt::format(", of each channel {} to {}", percent(number("channel_utilization.min")),
                           percent(number("channel_utilization.max")));
    }
    entry("data buses", words);
  }

  void energy() {
    const double all = number("energy_j");
    std::string words = fmt::format("{}, {} on average, {:.2f} pJ/bit", si(all, "J"),
                                    si(number("average_power_w"), "W"), number("pj_per_bit"));
    const char* before = ": ";
    for (const auto& [name, joules] : report_.at("energy_parts_j").items()) {
      if (joules.get<double>() <= 0) continue;
      words += fmt::format("{}{} {:.0f} %", before, name, 100 * joules.get<double>() / all);
      before = ", ";
    }
    entry("energy", words);
  }

  const Json& report_;
  std::size_t columns_;
  std::string out_;
};

}  // namespace

std::string dram_table(const Json& report, std::size_t columns) {
  return Table(report, std::max(columns, kLeastTableColumns)).str();
}

}  // namespace tilewave
