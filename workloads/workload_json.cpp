// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/config/reader.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/op_list_reader.hpp"
#include "workloads/ops/all.hpp"

namespace tilewave {
namespace {

constexpr Range kOpCount{.min = 1, .max = 1'000'000};

Workload read_op_list(ObjectReader& top, const WorkloadReadOptions& options,
                      Diagnostics& diagnostics) {
  Workload workload;
  workload.name = top.optional_text("name", options.default_name, "shown in the report");
  OpDefaults defaults;
  defaults.dtype = top.optional_choice<DataType>("dtype", DataType::int8, named(all_data_types()),
                                                 "number format of ops that name none");
  defaults.functional = top.optional_flag("functional", false, "compute the values of gemms too");
  defaults.values_seed = top.optional_count("values_seed", 0, Range{}, "of the random operands");
  top.maybe_any("model", "a network of the model zoo instead of ops");
  auto readers = top.objects(
      "ops", kOpCount, "the ops, in the order they run; or \"model\" instead, a network by name");
  top.finish();
  workload.ops = read_ops(std::move(readers), options, defaults, diagnostics);
  if (options.batch) {
    diagnostics.error("--batch", "",
                      fmt::format("{} lists its ops with fixed sizes: a batch can be given to "
                                  "networks (\"model\") only",
                                  options.file));
  }
  if (options.batch_shares > 1) {
    diagnostics.error(options.file, "ops",
                      fmt::format("are of fixed sizes, of which {} chips cannot share the batch: "
                                  "\"mapping.batch\": \"total\" is for networks (\"model\")",
                                  options.batch_shares));
  }
  return workload;
}

/// `json` with what was given beside the file put in.
Json with_overrides(const Json& json, const WorkloadReadOptions& options,
                    Diagnostics& diagnostics) {
  Json changed = json;
  if (options.batch) {
    changed["batch"] = *options.batch;
    diagnostics.set_origin(options.file, "batch", "--batch");
  }
  if (options.dtype) {
    changed["dtype"] = to_string(*options.dtype);
    diagnostics.set_origin(options.file, "dtype", "--dtype");
  }
  return changed;
}

}  // namespace

Workload read_workload(const Json& json, const WorkloadReadOptions& options,
                       Diagnostics& diagnostics) {
  const bool is_model = json.is_object() && json.contains("model");
  if (!is_model) {
    ObjectReader top(json, options.file, "", diagnostics, options.docs);
    return read_op_list(top, options, diagnostics);
  }
  const Json changed = with_overrides(json, options, diagnostics);
  ObjectReader top(changed, options.file, "", diagnostics, options.docs);
  const std::string name = top.optional_text("name", options.default_name, "shown in the report");
  const std::string model = top.text("model", "a network of the model zoo");
  if (top.has("ops")) {
    top.error("ops", "cannot stand beside \"model\": a workload is a network or a list of ops");
    return {};
  }
  if (!top.ok()) return {};
  Workload workload = build_model(model, top, diagnostics, options.batch_shares);
  workload.name = name.empty() ? workload.name : name;
  return workload;
}

Json to_json(const OpShape& shape) {
  Json json = Json::object();
  std::visit([&](const auto& s) { write_shape(s, json); }, shape);
  return json;
}

Json to_json(const Op& op) {
  Json json = Json::object();
  json["op"] = kind_name(op.shape);
  json["name"] = op.name;
  json["dtype"] = to_string(op.dtype);
  json.update(to_json(op.shape));
  if (!op.inputs.empty()) json["inputs"] = op.inputs;
  if (op.partial_inputs) json["partial_inputs"] = true;
  if (!op.weights_of.empty()) json["weights_of"] = op.weights_of;
  if (op.functional) json["functional"] = true;
  if (op.values_seed != 0) json["values_seed"] = op.values_seed;
  return json;
}

Json to_json(const Workload& workload) {
  Json json = Json::object();
  json["name"] = workload.name;
  json["ops"] = Json::array();
  for (const Op& op : workload.ops) json["ops"].push_back(to_json(op));
  return json;
}

}  // namespace tilewave
