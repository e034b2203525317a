// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/objective_check.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/sweep/run_point.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "workloads/load.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave {
namespace {

constexpr Count kProbeSize = 16;  ///< of the small product

/// Parts of a layer that depend on the kind of op or on what happened: not known from another op's report.
constexpr std::array<std::string_view, 5> kOfTheOp{"shape", "tensors", "values", "commands",
                                                   "levels"};
/// Parts of the report as a whole that are as long as the run.
constexpr std::array<std::string_view, 2> kOfTheRun{"timeline", "statistics"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// The report of a small product in the workload's types; nothing: the machine multiplies none of them.
std::optional<Json> probe(const RunRequest& request) {
  std::vector<DataType> types;
  for (const Op& op : request.workload.ops) {
    if (std::ranges::find(types, op.dtype) == types.end()) types.push_back(op.dtype);
  }
  for (const DataType type : types) {
    const Json ops = {
        {"ops", {{{"op", "gemm"}, {"m", kProbeSize}, {"n", kProbeSize}, {"k", kProbeSize}}}}};
    Diagnostics none;
    LoadOptions options;
    options.dtype = type;
    RunRequest small{.arch = request.arch,
                     .workload = load_workload(ops, "probe", options, none),
                     .fidelity = request.fidelity};
    try {
      return simulate(small).report;
    } catch (const std::
                 exception&) {  // NOLINT: another type may be multiplied; points tell what is wrong
    }
  }
  return std::nullopt;
}

std::string no_such_key(const std::string& parent, const std::string& key, const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : object.items()) keys.push_back(name);
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const std::string near = suggestion(key, views);
  return fmt::format("there is no {} in {}{}", in_quotes(key),
                     parent.empty() ? "a report" : parent + " of a report",
                     near.empty() ? fmt::format("; there are {}", fmt::join(keys, ", ")) : near);
}

/// What is wrong with a path below `value`; "": it is there, or may be.
std::string fault_below(const Json& value, const std::vector<PathStep>& steps, std::size_t next,
                        std::string parent) {
  const Json* node = &value;
  for (; next < steps.size(); ++next) {
    const PathStep& step = steps[next];
    if (is_one_of(step.key, kOfTheOp)) return {};
    if (node->is_array() && step.may_be_index) {
      if (step.index >= node->size()) {
        return fmt::format("{} has {} entries, the first is [0]", parent, node->size());
      }
      node = &(*node)[step.index];
    } else if (node->is_object()) {
      const auto found = node->find(step.key);
      if (found == node->end()) return no_such_key(parent, step.key, *node);
      node = &*found;
    } else {
      return fmt::format("{} of a report is {}, with nothing below", parent, shown(*node));
    }
    parent = node->is_array() || !step.may_be_index ? join_key(parent, step.key)
                                                    : join_index(parent, step.index);
  }
  return node->is_structured() ? fmt::format("{} of a report is no number", parent) : std::string();
}

std::string fault_of(const std::string& path, const Json& report, const RunRequest& request) {
  const auto steps = parse_path(path);
  if (!steps) return "is no path";
  const std::string& top = steps->front().key;
  if (top == "host") return "host is about the simulation: it differs from run to run";
  // Several chips have ops of their own, of what they send to each other.
  const bool has_more_layers = request.arch.chips() > 1;
  if (is_one_of(top, kOfTheRun) || (top == "workload" && has_more_layers)) return {};
  if (top != "layers" || steps->size() < 2) return fault_below(report, *steps, 0, "");
  // The probe has one layer, the run one for each op.
  const PathStep& layer = (*steps)[1];
  const std::size_t layers = request.workload.ops.size();
  if (!layer.may_be_index) return "layers of a report are an array: layers[0]";
  if (layer.index >= layers && !has_more_layers) {
    return fmt::format("the report has {} layer{}, the first is layers[0]", layers,
                       layers == 1 ? "" : "s");
  }
  return fault_below(report.at("layers").at(0), *steps, 2, join_index("layers", layer.index));
}

}  // namespace

ObjectiveCheck::ObjectiveCheck(const Sweep& sweep) {
  for (std::size_t i = 0; i < sweep.objectives.size(); ++i) {
    for (const std::string& name : sweep.objectives[i].value.names()) {
      const bool is_parameter = std::ranges::find(sweep.parameters, name, &SweepParameter::path) !=
                                sweep.parameters.end();
      if (!is_parameter) open_.push_back({.objective = i, .text = name, .fault = {}});
    }
  }
}

void ObjectiveCheck::look_at(const RunRequest& request) {
  std::string key = key_of({.arch = request.arch, .fidelity = request.fidelity});
  auto seen = std::ranges::find(seen_, key, &std::pair<std::string, Json>::first);
  if (seen == seen_.end()) {
    auto report = probe(request);
    if (!report) {
      open_.clear();
      return;
    }
    seen = seen_.emplace(seen_.end(), std::move(key), std::move(*report));
  }
  seen->second.at("workload") = to_json(request.workload);
  std::erase_if(open_, [&](Path& path) {
    path.fault = fault_of(path.text, seen->second, request);
    return path.fault.empty();
  });
}

void ObjectiveCheck::throw_if_open(const Sweep& sweep) const {
  if (seen_.empty() || open_.empty()) return;
  std::vector<Fault> faults;
  for (const Path& path : open_) {
    faults.push_back({.file = sweep.file,
                      .path = join_index("objectives", path.objective),
                      .message = path.text + ": " + path.fault});
  }
  throw ConfigError(std::move(faults));
}

}  // namespace tilewave
