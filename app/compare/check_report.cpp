// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/compare/comparison.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

/// So that the sum of two counts is one.
constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 62U;

class Checker {
 public:
  Checker(const ReportFile& report, Diagnostics& diagnostics)
      : report_(report), diagnostics_(diagnostics) {}

  void run() {
    const Json& report = report_.report;
    if (!report.is_object() || !report.contains("total") || !report.contains("layers")) {
      diagnostics_.error(
          report_.file, "",
          "is no report: it would have \"total\" and \"layers\", as tilewave run --out "
          "writes them");
      return;
    }
    text(member(report, "arch"), "name", "arch");
    text(member(report, "workload"), "name", "workload");
    const Json& total = report["total"];
    counts(total, {"cycles", "dram_read_bytes", "dram_write_bytes"}, "total", true);
    numbers(total, {"time_s", "utilization", "energy_j"}, "total");
    const Json& layers = report["layers"];
    if (!layers.is_array()) {
      wrong(layers, "layers", "an array");
      return;
    }
    for (std::size_t i = 0; i < layers.size(); ++i) layer(layers[i], join_index("layers", i));
  }

 private:
  void wrong(const Json& value, const std::string& path, const char* wanted) {
    diagnostics_.error(report_.file, path,
                       fmt::format("must be {}, is {}", wanted, shown_with_type(value)));
  }

  static const Json& member(const Json& object, const char* key) {
    static const Json none;
    if (!object.is_object()) return none;
    const auto it = object.find(key);
    return it == object.end() ? none : *it;
  }

  void text(const Json& object, const char* key, const std::string& path) {
    const Json& value = member(object, key);
    if (!value.is_string()) wrong(value, join_key(path, key), "text");
  }

  void counts(const Json& object, std::initializer_list<const char*> keys, const std::string& path,
              bool required) {
    for (const char* key : keys) {
      if (!required && object.is_object() && !object.contains(key)) continue;
      const Json& value = member(object, key);
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargestCount) {
        wrong(value, join_key(path, key), "a whole number from 0 to 2^62");
      }
    }
  }

  void numbers(const Json& object, std::initializer_list<const char*> keys,
               const std::string& path) {
    for (const char* key : keys) {
      const Json& value = member(object, key);
      if (!value.is_number()) wrong(value, join_key(path, key), "a number");
    }
  }

  void layer(const Json& layer, const std::string& path) {
    if (!layer.is_object()) {
      wrong(layer, path, "an object");
      return;
    }
    text(layer, "name", path);
    counts(layer, {"cycles"}, path, true);
    numbers(layer, {"time_s", "utilization"}, path);
    if (layer.contains("energy_j")) energy(layer["energy_j"], join_key(path, "energy_j"));
    if (!layer.contains("traffic")) return;
    const Json& traffic = layer["traffic"];
    const std::string traffic_path = join_key(path, "traffic");
    if (!traffic.is_object()) {
      wrong(traffic, traffic_path, "an object");
    } else if (traffic.contains("dram")) {
      const std::string dram_path = join_key(traffic_path, "dram");
      if (!traffic["dram"].is_object()) {
        wrong(traffic["dram"], dram_path, "an object");
      } else {
        counts(traffic["dram"], {"read_bytes", "write_bytes"}, dram_path, false);
      }
    }
  }

  void energy(const Json& parts, const std::string& path) {
    if (!parts.is_object()) {
      wrong(parts, path, "an object");
      return;
    }
    for (const auto& [name, joules] : parts.items()) {
      if (!joules.is_number()) wrong(joules, join_key(path, name), "a number");
    }
  }

  const ReportFile& report_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_report(const ReportFile& report, Diagnostics& diagnostics) {
  Checker(report, diagnostics).run();
}

}  // namespace tilewave
