// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.hpp"
#include "app/cli/messages.hpp"
#include "app/cli/output_file.hpp"
#include "app/library/arch_family.hpp"
#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "app/library/dram_library.hpp"
#include "app/sweep/run_sweep.hpp"
#include "app/validate/suite.hpp"
#include "arch/energy/energy_config.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/text_file.hpp"
#include "workloads/load.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

// Keys that tell what a JSON file is.
constexpr std::array<const char*, 2> kWorkloadKeys{"ops", "model"};
constexpr std::array<const char*, 3> kEnergyKeys{"node_nm", "mac_pj", "between"};
constexpr std::array<const char*, 3> kDramKeys{"organisation", "timing_cycles", "data_rate_mbps"};
constexpr std::array<const char*, 2> kStandardKeys{"timings", "rules"};
constexpr std::array<const char*, 2> kSuiteKeys{"measured", "data"};
constexpr std::array<const char*, 2> kSweepKeys{"parameters", "objectives"};
constexpr std::array<const char*, 5> kArchKeys{"core", "clock_ghz", "memory", "extends", "family"};

bool has_any(const Json& json, std::span<const char* const> keys) {
  return std::ranges::any_of(keys, [&](const char* key) { return json.contains(key); });
}

bool looks_like_json(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

std::string check_arch(const std::string& file, const Json& json, Diagnostics& diagnostics) {
  const fs::path configs = config_dir();
  if (!json.contains("family")) {
    const auto arch = resolve_arch(ArchPlace{.file = file, .member = {}}, {}, configs, diagnostics);
    return fmt::format("machine {}", arch.name());
  }
  ObjectReader top(json, file, "", diagnostics);
  const auto members = read_family(top.object("family", "the machines this file stands for"));
  for (const FamilyMember& member : members) {
    (void)resolve_arch(ArchPlace{.file = file, .member = member.name}, {}, configs, diagnostics);
  }
  return fmt::format("{} machines", members.size());
}

/// The loaders take a word without an ending for a name; "./" makes it a file.
std::string as_file(const std::string& file) {
  const bool is_word = !fs::path(file).has_extension() && file.find('/') == std::string::npos;
  return is_word ? "./" + file : file;
}

std::string check_dram(const std::string& file, Diagnostics& diagnostics) {
  const auto dram = load_dram(as_file(file), config_dir(), diagnostics);
  return dram ? fmt::format("memory {}, {}", dram->name, describe_dram(*dram)) : std::string();
}

std::string check_workload(const std::string& file, Diagnostics& diagnostics) {
  LoadOptions options;
  options.config_dir = config_dir();
  const Workload workload = load_workload(as_file(file), options, diagnostics);
  return fmt::format("workload {}, {} op{}", workload.name, workload.ops.size(),
                     workload.ops.size() == 1 ? "" : "s");
}

std::string check_suite(const std::string& file, Diagnostics& diagnostics) {
  const auto suite =
      load_suite(fs::path(file).has_parent_path() ? file : "./" + file, config_dir(), diagnostics);
  return suite ? fmt::format("suite {}, {} rows", suite->name, suite->table.rows.size())
               : std::string();
}

/// Nothing to say but the faults.
std::string with_faults(const Diagnostics& faults, Diagnostics& diagnostics) {
  for (const Fault& fault : faults.errors()) {
    diagnostics.error(fault);
  }
  return {};
}

std::string check_sweep(const std::string& file, const Json& json, Diagnostics& diagnostics) {
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  auto sweep = read_sweep(json, file, folder, diagnostics);
  if (!sweep) return {};
  try {
    const SweepPlan plan(std::move(*sweep));
    check_points(plan);
    return fmt::format("sweep {}, {} points", plan.sweep().name, count_points(plan));
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) diagnostics.error(fault);
    return {};
  }
}

/// What the file is, in words; faults go to the diagnostics.
std::string check_file(const std::string& file, Diagnostics& diagnostics) {
  const auto text = read_file(file, diagnostics);
  if (!text) {
    return {};
  }
  if (!looks_like_json(*text)) {
    return check_workload(file, diagnostics);  // a SCALE-Sim topology
  }
  Diagnostics syntax;
  const auto json = parse_json(*text, file, syntax);
  if (json && json->is_object() && has_any(*json, kSuiteKeys)) {
    return check_suite(file, diagnostics);
  }
  if (json && json->is_object() && has_any(*json, kSweepKeys)) {
    return syntax.ok() ? check_sweep(file, *json, diagnostics) : with_faults(syntax, diagnostics);
  }
  if (json && json->is_object() && has_any(*json, kWorkloadKeys)) {
    return check_workload(file, diagnostics);
  }
  if (json && json->is_object() && has_any(*json, kEnergyKeys)) {
    const auto table = load_energy_table(file, config_dir() / "energy", diagnostics);
    return table ? fmt::format("energy table {}", table->name) : std::string();
  }
  if (json && json->is_object() && has_any(*json, kDramKeys)) {
    return check_dram(file, diagnostics);
  }
  if (json && json->is_object() && has_any(*json, kStandardKeys)) {
    diagnostics.error(file, "", "is a DRAM standard: it is checked with a memory that names it");
    return {};
  }
  if (json && json->is_object() && has_any(*json, kArchKeys)) {
    return check_arch(file, *json, diagnostics);
  }
  (void)with_faults(syntax, diagnostics);
  if (json) {
    diagnostics.error(
        file, "",
        "is no machine (it would have \"core\" or \"extends\"), no memory (\"organisation\"), no "
        "workload (\"ops\" or \"model\"), no sweep (\"parameters\") and no energy table "
        "(\"node_nm\")");
  }
  return {};
}

void check(const Arguments& arguments) {
  Diagnostics all;
  for (const std::string& file : arguments.operands()) {
    Diagnostics diagnostics;
    const std::string words = check_file(file, diagnostics);
    for (const Fault& fault : diagnostics.warnings()) {
      all.warning(fault);
    }
    for (const Fault& fault : diagnostics.errors()) {
      all.error(fault);
    }
    if (diagnostics.ok()) {
      write_stdout(fmt::format("{}: ok ({})\n", file, words));
    }
  }
  report(all);
}

}  // namespace

Command check_command() {
  return {.syntax = {.name = "check",
                     .summary = "find what is wrong with input files",
                     .operands = "FILE...",
                     .least_operands = 1,
                     .most_operands = CommandSyntax::kAnyNumber,
                     .about =
                         "Reads machines, memories, workloads, energy tables, sweeps and suites "
                         "of measurements (JSON) and SCALE-Sim "
                         "topologies (CSV), told apart by what is in them, and reports all that is "
                         "wrong with them. Nothing is run.",
                     .examples = {"tilewave check my_chip.json my_network.json topology.csv"}},
          .run = check};
}

}  // namespace tilewave
