// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "app/sweep/run_point.hpp"
#include "app/sweep/sha256.hpp"
#include "app/sweep/sweep_store.hpp"
#include "sim/config/text_file.hpp"
#include "tilewave/version.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

/// The texts that `path` may be, the fixed one or a parameter's.
std::set<std::string> names_of(const Sweep& sweep, const std::string& path, const Json& fixed) {
  std::set<std::string> names;
  if (fixed.is_string()) names.insert(fixed.get<std::string>());
  for (const SweepParameter& parameter : sweep.parameters) {
    if (parameter.path != path || parameter.list() == nullptr) continue;
    for (const Json& value : *parameter.list()) {
      if (value.is_string()) names.insert(value.get<std::string>());
    }
  }
  return names;
}

}  // namespace

SweepIdentity identity_of(const SweepPlan& plan) {
  const Sweep& sweep = plan.sweep();
  Json definition = sweep.definition;
  Json what = {{"version", kVersion}};
  for (const auto& [key, value] : definition.items()) {
    if (key != "note" && key != "name") what["sweep"][key] = value;
  }
  const fs::path configs = config_dir();
  for (const std::string& name : names_of(sweep, "arch", sweep.arch)) {
    Diagnostics faults;  // told when the points are resolved
    RunRequest machine;
    if (const auto place = find_arch(name, configs, sweep.folder)) {
      machine.arch = resolve_arch(*place, {}, configs, faults);
    }
    what["machines"][name] = faults.ok() ? key_of(machine) : "faulty";
  }
  for (const std::string& name : names_of(sweep, "workload", sweep.workload)) {
    Diagnostics none;
    std::error_code ignored;
    for (const fs::path& file : {sweep.folder / name, configs / "workloads" / (name + ".json")}) {
      if (!fs::is_regular_file(file, ignored)) continue;
      what["workloads"][name] = sha256(read_file(file, none).value_or(""));
      break;
    }
  }
  const auto text = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  return {.hash = sha256(text(what)), .name = sweep.name, .definition = text(definition)};
}

}  // namespace tilewave
