// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

#include "app/cli/commands.hpp"
#include "app/cli/list_entries.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/terminal.hpp"
#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "app/library/dram_library.hpp"
#include "app/sweep/sweep.hpp"
#include "app/validate/suite.hpp"
#include "arch/energy/energy_config.hpp"
#include "arch/program/data_type.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "workloads/load.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

using Entries = std::vector<NameAndWords>;

Entries list_machines() {
  Entries entries;
  for (const ArchEntry& arch : list_arch(config_dir())) {
    entries.push_back({arch.name, arch.description});
  }
  return entries;
}

Entries list_memories() {
  Entries entries;
  for (const DramEntry& dram : list_dram(config_dir())) {
    entries.push_back({dram.name, dram.description});
  }
  return entries;
}

Entries to_entries(const std::vector<WorkloadEntry>& workloads) {
  Entries entries;
  for (const WorkloadEntry& workload : workloads) {
    entries.push_back({workload.name, workload.description});
  }
  return entries;
}

Entries list_workload_files() { return to_entries(list_workload_presets(config_dir())); }
Entries list_networks() { return to_entries(list_models()); }

std::string describe(DataType type) {
  const unsigned activation = activation_bits(type);
  const unsigned weight = weight_bits(type);
  std::string words =
      activation == weight
          ? fmt::format("{}-bit {}", activation, is_integer(type) ? "integer" : "float")
          : fmt::format("{}-bit weights, {}-bit activations", weight, activation);
  if (const BlockScale scale = weight_scale(type); scale.bits > 0) {
    words += fmt::format(", {} bits of scale for each {} weights", scale.bits, scale.elements);
  }
  return words + fmt::format(", {}-bit sums", accumulator_bits(type));
}

Entries list_dtypes() {
  Entries entries;
  for (const DataType type : all_data_types()) {
    entries.push_back({std::string(to_string(type)), describe(type)});
  }
  return entries;
}

std::string describe(const EnergyTable& table) {
  return fmt::format("{} nm, {:.2g} pJ for an int8 MAC", table.node_nm,
                     table.mac_pj(DataType::int8));
}

Entries list_energy() {
  const fs::path folder = config_dir() / "energy";
  std::vector<std::pair<double, NameAndWords>> tables;
  std::error_code failed;
  for (fs::directory_iterator file(folder, failed), end; !failed && file != end;
       file.increment(failed)) {
    if (file->path().extension() != ".json") {
      continue;
    }
    Diagnostics faults;
    const auto table = load_energy_table(file->path(), folder, faults);
    const NameAndWords entry{
        file->path().stem().string(),
        table ? describe(*table)
              : fmt::format("(faulty: tilewave check {})", file->path().string())};
    tables.emplace_back(table ? table->node_nm : 0, entry);
  }
  std::ranges::sort(tables, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.name < b.second.name;
  });
  Entries entries;
  for (const auto& [node, entry] : tables) {
    entries.push_back(entry);
  }
  return entries;
}

Entries list_suites() {
  Entries entries;
  const fs::path configs = config_dir();
  for (const std::string& name : suite_names(configs)) {
    entries.push_back({name, suite_note(name, configs)});
  }
  return entries;
}

Entries list_sweeps() {
  Entries entries;
  const fs::path configs = config_dir();
  for (const std::string& name : sweep_names(configs)) {
    entries.push_back({name, sweep_note(name, configs)});
  }
  return entries;
}

struct Kind {
  std::string_view name;
  Entries (*list)();
};
constexpr std::array<Kind, 8> kKinds{{{"arch", list_machines},
                                      {"workloads", list_workload_files},
                                      {"models", list_networks},
                                      {"dtypes", list_dtypes},
                                      {"energy", list_energy},
                                      {"dram", list_memories},
                                      {"sweeps", list_sweeps},
                                      {"suites", list_suites}}};
constexpr const char* kOperands = "arch|workloads|models|dtypes|energy|dram|sweeps|suites";

void list(const Arguments& arguments) {
  const Entries entries = list_entries(arguments.operands().front());
  if (!arguments.has("json")) {
    write_stdout(two_columns(entries, 0, terminal_columns(STDOUT_FILENO)));
    return;
  }
  Json json = Json::array();
  for (const NameAndWords& entry : entries) {
    json.push_back({{"name", entry.name}, {"description", entry.words}});
  }
  write_stdout(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

}  // namespace

std::vector<NameAndWords> list_entries(const std::string& wanted) {
  const auto* kind = std::ranges::find(kKinds, wanted, &Kind::name);
  if (kind != kKinds.end()) return kind->list();
  std::vector<std::string_view> names;
  names.reserve(kKinds.size());
  for (const Kind& known : kKinds) {
    names.push_back(known.name);
  }
  throw ConfigError(
      Fault{.file = "",
            .path = "",
            .message = fmt::format("there is no list of {}{}; there are: {}", in_quotes(wanted),
                                   suggestion(wanted, names), kOperands)});
}

Command list_command() {
  return {
      .syntax = {.name = "list",
                 .summary = "names of presets, networks, data types",
                 .operands = kOperands,
                 .least_operands = 1,
                 .most_operands = 1,
                 .about = "Lists what can be named: machines "
                          "(arch), workload files "
                          "(workloads), networks built in (models), data types (dtypes), "
                          "energy tables (energy), memories (dram), sweeps (sweeps) and suites of "
                          "measurements to validate against (suites).",
                 .options = {{"json", "", "print an array of objects with name and description"}},
                 .examples = {"tilewave list arch"}},
      .run = list};
}

}  // namespace tilewave
