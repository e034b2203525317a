// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sim/config/json.hpp"
#include "sim/config/key_docs.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/op.hpp"

/// The workload file (docs: "Workload JSON"): a list of ops, or a network of the model zoo by name
/// with its parameters.
///
///   { "name": "mini", "dtype": "fp16", "ops": [ { "op": "gemm", "m": 64, "n": 64, "k": 64 } ] }
///   { "model": "resnet50", "batch": 8 }
///
/// Of the workload: name (default: the file's), dtype (int8), functional, values_seed; each op may
/// say otherwise for itself. Of each op: op, name (default: kind and position, "gemm_0"), inputs.
namespace tilewave {

struct WorkloadReadOptions {
  std::string file;               ///< stands in messages
  std::string default_name;       ///< of the workload
  std::optional<DataType> dtype;  ///< replaces the type of every op
  std::optional<Count> batch;     ///< replaces a network's; a list of ops has fixed sizes: a fault
  KeyDocs* docs = nullptr;        ///< records the keys asked for
  Count batch_shares = 1;         ///< of a network's batch; more: a list of ops is a fault
};

/// Reports all faults; what is returned then is not to be used.
[[nodiscard]] Workload read_workload(const Json& json, const WorkloadReadOptions& options,
                                     Diagnostics& diagnostics);

/// Fully resolved: a list of ops with all their members. Reading it again gives the same workload.
[[nodiscard]] Json to_json(const Workload& workload);
[[nodiscard]] Json to_json(const Op& op);
/// The sizes alone, as in the report.
[[nodiscard]] Json to_json(const OpShape& shape);

}  // namespace tilewave
