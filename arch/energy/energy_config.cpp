// SPDX-License-Identifier: Apache-2.0
#include "arch/energy/energy_config.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "arch/program/data_type.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/merge.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

/// Files a table may rest on, one upon the other. Only a file that refers to itself needs more.
constexpr int kMaxDepth = 8;
/// Allowed energies. The upper end is far above any action on one byte or value.
constexpr RealRange kEnergyPj = RealRange::positive(1e6);
constexpr std::array<std::pair<std::string_view, unsigned>, 4> kVectorWidths{
    {{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}}};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// `; did you mean "int8"?`, or else all that is allowed.
std::string hint(std::string_view name, const std::vector<std::string>& allowed) {
  if (const auto near = nearest_name(name, std::span<const std::string>(allowed))) {
    return "; did you mean " + in_quotes(*near) + "?";
  }
  std::string list;
  for (const auto& each : allowed) list += (list.empty() ? "; may be " : ", ") + each;
  return list;
}

/// Reads one file and those it rests on.
class Loader {
 public:
  Loader(const fs::path& presets, Diagnostics& diagnostics)
      : presets_(presets), diagnostics_(diagnostics) {}

  std::optional<EnergyTable> load(const fs::path& file, int depth, KeyDocs* docs) {
    const auto json = document(file, depth);
    if (!json) return std::nullopt;
    ObjectReader root(*json, file.string(), "", diagnostics_, docs);
    return read_table(root, file.parent_path(), depth);
  }

 private:
  /// The JSON of a file with what it extends merged in.
  std::optional<Json> document(const fs::path& file, int depth) {
    auto json = load_json_file(file, diagnostics_);
    if (!json || !json->is_object() || !json->contains("extends")) return json;
    ObjectReader root(*json, file.string(), "", diagnostics_);
    const std::string base_name = root.text("extends", "");
    if (!root.ok()) return std::nullopt;
    const auto base_file = find(root, "extends", base_name, file.parent_path(), depth);
    if (!base_file) return std::nullopt;
    auto base = document(*base_file, depth + 1);
    if (!base || !base->is_object()) return std::nullopt;
    json->erase("extends");
    return deep_merge(std::move(*base), *json);
  }

  std::optional<fs::path> find(ObjectReader& reader, std::string_view key, const std::string& name,
                               const fs::path& folder, int depth) {
    if (depth >= kMaxDepth) {
      reader.error(key, "rests on more than " + std::to_string(kMaxDepth) +
                            " other tables; does one refer to itself?");
      return std::nullopt;
    }
    auto found = find_energy_table(name, presets_, folder);
    if (!found.value) reader.error(key, found.fault);
    return found.value;
  }

  std::optional<EnergyTable> read_table(ObjectReader& root, const fs::path& folder, int depth) {
    const std::string name = root.text("name", "name of the table");
    const double node_nm =
        root.number("node_nm", RealRange::positive(1e4), "feature size of the logic technology");
    EnergyTable table;
    bool complete = true;  // the file itself must give every group
    if (auto between = root.maybe_object(
            "between", "two tables, of an older and a newer technology, to interpolate")) {
      const auto base = interpolated(*between, node_nm, folder, depth);
      between->finish();
      if (!base) return std::nullopt;
      table = *base;
      complete = false;
    }
    table.name = name;
    table.node_nm = node_nm;
    read_groups(root, complete, table);
    root.finish();
    if (!root.ok()) return std::nullopt;
    return table;
  }

  std::optional<EnergyTable> interpolated(ObjectReader& between, double node_nm,
                                          const fs::path& folder, int depth) {
    const auto read = [&](std::string_view key, std::string_view meaning) {
      const auto name = between.text(key, meaning);
      std::optional<EnergyTable> table;
      if (!between.ok()) return table;
      if (const auto file = find(between, key, name, folder, depth)) {
        table = load(*file, depth + 1, nullptr);
      }
      return table;
    };
    const auto older = read("older", "table of the older technology");
    const auto newer = read("newer", "table of the newer technology");
    if (!older || !newer || !between.ok()) return std::nullopt;
    if (!(older->node_nm > node_nm && node_nm > newer->node_nm)) {
      between.error("", "node_nm must lie between those of \"newer\" and \"older\"");
      return std::nullopt;
    }
    const auto same_capacity = [](const auto& a, const auto& b) {
      return a.capacity_bytes == b.capacity_bytes;
    };
    if (older->sram_access_bits != newer->sram_access_bits ||
        !std::equal(older->sram_points.begin(), older->sram_points.end(),
                    newer->sram_points.begin(), newer->sram_points.end(), same_capacity)) {
      between.error("", "the two tables must have the same access_bits and capacities of banks");
      return std::nullopt;
    }
    return interpolate(*older, *newer, node_nm);
  }

  /// Groups that are given. With `complete`, all must be.
  void read_groups(ObjectReader& root, bool complete, EnergyTable& table) {
    const auto given = [&](std::string_view key) { return complete || root.has(key); };
    read_macs(root, complete, table);
    read_vector_ops(root, complete, table);
    if (given("register_pj_per_bit")) {
      table.register_pj_per_bit = root.number("register_pj_per_bit", kEnergyPj,
                                              "a bit written into a pipeline register and read");
    }
    if (given("wire_pj_per_bit_mm")) {
      table.wire_pj_per_bit_mm =
          root.number("wire_pj_per_bit_mm", kEnergyPj, "a bit over a millimetre of on-chip wire");
    }
    if (given("sram_access")) read_sram(root, table);
    read_map(root, "dram_pj_per_bit", complete, "a bit read or written, by kind of DRAM",
             table.dram_pj_per_bit);
    read_map(root, "host_link_pj_per_bit", complete, "a bit over the host link, by its type",
             table.host_link_pj_per_bit);
    read_leakage(root, complete, table);
  }

  static void read_macs(ObjectReader& root, bool complete, EnergyTable& table) {
    constexpr std::string_view kMeaning = "a multiply-accumulate, by data type";
    std::vector<std::string> names;
    for (const auto type : all_data_types()) names.emplace_back(to_string(type));
    auto entries = complete ? root.object_map("mac_pj", kMeaning)
                            : root.optional_object_map("mac_pj", kMeaning);
    if (entries.empty() && (!complete || !root.ok())) return;
    for (auto& [name, reader] : entries) {
      const auto type = data_type_from_string(name);
      if (!type) {
        reader.error("", "unknown data type" + hint(name, names));
        continue;
      }
      table.macs[*type] = {
          .multiply = reader.number("multiply", kEnergyPj, "the multiplier"),
          .add = reader.number("accumulate", kEnergyPj, "the adder, as wide as the accumulator")};
      reader.finish();
    }
    // The ends of the chains of mac_pj().
    for (const auto type : {DataType::int32, DataType::fp64}) {
      if (!table.macs.contains(type)) {
        root.error("mac_pj", "needs an entry for " + std::string(to_string(type)) +
                                 ", the widest of its kind");
      }
    }
  }

  static void read_vector_ops(ObjectReader& root, bool complete, EnergyTable& table) {
    auto group = complete ? std::optional(root.object("vector_op_pj", "a lane operation, by width"))
                          : root.maybe_object("vector_op_pj", "a lane operation, by width");
    if (!group) return;
    for (const auto& [key, bits] : kVectorWidths) {
      if (auto reader = group->maybe_object(key, "a lane operation of that many bits")) {
        table.vector_ops[bits] = {.multiply = reader->number("multiply", kEnergyPj, "a multiply"),
                                  .add = reader->number("add", kEnergyPj, "an add")};
        reader->finish();
      }
    }
    group->finish();
    if (table.vector_ops.empty() && group->ok()) {
      group->error("", "needs at least one of the widths 8, 16, 32, 64");
    }
  }

  static void read_sram(ObjectReader& root, EnergyTable& table) {
    auto group = root.object("sram_access", "an access to an on-chip memory");
    table.sram_access_bits = static_cast<unsigned>(
        group.count("access_bits", {1, 65536}, "width of the accesses the energies are for"));
    table.sram_points.clear();
    for (auto& bank : group.objects("banks", {.min = 1}, "banks of growing capacity")) {
      EnergyTable::SramPoint point;
      point.capacity_bytes = bank.capacity("capacity", {.min = 1}, "capacity of the bank");
      point.read_pj = bank.number("read_pj", kEnergyPj, "a read");
      point.write_pj = bank.number("write_pj", kEnergyPj, "a write");
      bank.finish();
      if (bank.ok() && !table.sram_points.empty()) {
        const auto& last = table.sram_points.back();
        if (point.capacity_bytes <= last.capacity_bytes) {
          bank.error("", "capacity must be above that of the bank before");
        } else if (point.read_pj < last.read_pj || point.write_pj < last.write_pj) {
          bank.error("", "a larger bank must not cost less than the one before");
        }
      }
      table.sram_points.push_back(point);
    }
    group.finish();
  }

  static void read_map(ObjectReader& root, std::string_view key, bool complete,
                       std::string_view meaning, std::map<std::string, double, std::less<>>& map) {
    const auto entries = complete ? root.number_map(key, {}, kEnergyPj, meaning)
                                  : root.optional_number_map(key, {}, kEnergyPj, meaning);
    for (const auto& [name, value] : entries) map[name] = value;
  }

  static void read_leakage(ObjectReader& root, bool complete, EnergyTable& table) {
    auto group = complete ? std::optional(root.object("leakage", "power at rest"))
                          : root.maybe_object("leakage", "power at rest");
    if (!group) return;
    const auto read = [&](std::string_view key, double& value, std::string_view meaning) {
      constexpr RealRange kPower = RealRange::positive(1e9);
      value = complete ? group->number(key, kPower, meaning)
                       : group->maybe_number(key, kPower, meaning).value_or(value);
    };
    read("sram_mw_per_mib", table.leakage.sram_mw_per_mib, "on-chip memory");
    read("pe_uw", table.leakage.pe_uw, "a PE of a matrix unit");
    read("lane_uw", table.leakage.lane_uw, "a 32-bit lane of a vector unit");
    group->finish();
  }

  const fs::path& presets_;
  Diagnostics& diagnostics_;
};

}  // namespace

Checked<fs::path> find_energy_table(std::string_view name_or_file, const fs::path& presets,
                                    const fs::path& folder) {
  if (fs::path(name_or_file).extension() == ".json") {
    return {.value = folder / name_or_file, .fault = ""};
  }
  const auto names = names_in(presets);
  if (std::find(names.begin(), names.end(), name_or_file) == names.end()) {
    return {.value = std::nullopt,
            .fault = "no energy table " + in_quotes(name_or_file) + hint(name_or_file, names)};
  }
  return {.value = presets / (std::string(name_or_file) + ".json"), .fault = ""};
}

std::optional<EnergyTable> load_energy_table(const fs::path& file, const fs::path& presets,
                                             Diagnostics& diagnostics, KeyDocs* docs) {
  return Loader(presets, diagnostics).load(file, 0, docs);
}

}  // namespace tilewave
