// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "app/sweep/run_point.hpp"
#include "arch/program/data_type.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/values.hpp"
#include "workloads/load.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkloadPrefix = "workload.";

/// A task's parameters by what they are about.
struct TaskParameters {
  std::vector<std::string> arch;   ///< PATH=VALUE, as --set has them
  Json workload = Json::object();  ///< by path below "workload."
  Json names = Json::object();     ///< arch, workload, fidelity
};

TaskParameters divided(const Json& task) {
  TaskParameters parameters;
  for (const auto& [path, value] : task.at("parameters").items()) {
    if (path == "arch" || path == "workload" || path == "fidelity") {
      parameters.names[path] = value;
    } else if (path.starts_with(kWorkloadPrefix)) {
      parameters.workload[path.substr(kWorkloadPrefix.size())] = value;
    } else {
      parameters.arch.push_back(fmt::format("{}={}", path, value.dump()));
    }
  }
  return parameters;
}

/// A file's name from the task's folder; of a preset or network, the name.
std::string workload_place(const std::string& name, const fs::path& folder) {
  const std::string extension = fs::path(name).extension().string();
  const bool is_file = name.find('/') != std::string::npos || extension == ".json" ||
                       extension == ".csv" || extension == ".onnx";
  return is_file && fs::path(name).is_relative() ? (folder / name).string() : name;
}

/// Batch and type, which every kind of workload has a place for; faults name the parameter.
void take_common(Json& sets, LoadOptions& options, Diagnostics& diagnostics) {
  if (const auto batch = sets.find("batch"); batch != sets.end()) {
    const auto count = check_count(*batch, {.min = 1, .max = kMaxCount});
    if (count.value) {
      options.batch = *count.value;
    } else {
      diagnostics.error("", "workload.batch", count.fault);
    }
    sets.erase("batch");
  }
  if (const auto dtype = sets.find("dtype"); dtype != sets.end()) {
    std::vector<std::string_view> names;
    for (const DataType type : all_data_types()) names.push_back(to_string(type));
    const auto index = check_choice(*dtype, names);
    if (index.value) {
      options.dtype = all_data_types()[*index.value];
    } else {
      diagnostics.error("", "workload.dtype", index.fault);
    }
    sets.erase("dtype");
  }
}

/// What a parameter put in is reported under its path alone.
Fault by_parameter(Fault fault) {
  if (fault.file == "--batch" || fault.file == "--dtype") {
    fault.path = std::string(kWorkloadPrefix) + fault.file.substr(2);
    fault.file.clear();
  } else if (fault.file == kOverrideLabel || fault.file == "--workload") {
    fault.file.clear();
  }
  return fault;
}

ResolvedArch read_arch(const Json& arch, const TaskParameters& parameters, const fs::path& folder,
                       const fs::path& configs, Diagnostics& diagnostics) {
  if (arch.is_object()) return resolve_arch(arch, "arch", parameters.arch, configs, diagnostics);
  const auto name = arch.get<std::string>();
  const auto place = find_arch(name, configs, folder);
  if (place) return resolve_arch(*place, parameters.arch, configs, diagnostics);
  diagnostics.error("", "arch", unknown_arch_message(name, configs));
  return {};
}

}  // namespace

PointInput resolve_task(const Json& task) {
  const TaskParameters parameters = divided(task);
  const auto named = [&](const char* key) {
    return parameters.names.contains(key) ? parameters.names.at(key) : task.at(key);
  };
  const fs::path folder = task.value("folder", "");
  const fs::path configs = config_dir();
  Diagnostics diagnostics;
  PointInput input;
  input.request.fidelity = named("fidelity") == "detailed" ? Fidelity::detailed : Fidelity::fast;
  input.request.arch = read_arch(named("arch"), parameters, folder, configs, diagnostics);

  LoadOptions options;
  options.config_dir = configs;
  options.batch_shares = input.request.arch.batch_shares();
  Json sets = parameters.workload;
  take_common(sets, options, diagnostics);
  options.sets = &sets;
  const Json workload = named("workload");
  if (workload.is_string()) {
    input.request.workload =
        load_workload(workload_place(workload.get<std::string>(), folder), options, diagnostics);
  } else {
    input.request.workload = load_workload(workload, "workload", options, diagnostics);
  }
  if (!diagnostics.ok()) {
    std::vector<Fault> faults;
    for (const Fault& fault : diagnostics.errors()) faults.push_back(by_parameter(fault));
    throw ConfigError(std::move(faults));
  }
  for (const Fault& fault : diagnostics.warnings()) {
    input.warnings.push_back(format(by_parameter(fault)));
  }
  return input;
}

}  // namespace tilewave
