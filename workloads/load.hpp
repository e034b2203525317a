// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/json.hpp"
#include "sim/config/key_docs.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/op.hpp"

namespace tilewave {

struct LoadOptions {
  std::filesystem::path config_dir{};  ///< presets are config_dir/workloads/NAME.json
  std::optional<Count> batch{};        ///< --batch: of a network, or the images of a SCALE-Sim CSV
  Count batch_shares = 1;              ///< chips that share the batch: what is loaded is one's part
  std::optional<DataType> dtype{};     ///< --dtype: of all ops
  bool scale_sim_ceil = false;         ///< --scale-sim-ceil
  KeyDocs* docs = nullptr;             ///< records the keys a JSON reader asked for
  /// An object of values by path (`seq_len`, `ops[2].m`) that are put into a network's parameters or a
  /// workload's JSON; of a SCALE-Sim CSV a fault.
  const Json* sets = nullptr;
};

/// A workload by what a user writes:
///   a network of the zoo              resnet50    resnet50:batch=8,dtype=fp16
///   a preset in config_dir            tiny_cnn
///   a file: workload JSON, SCALE-Sim topology CSV (by its ending, else by its first character)
///   an ONNX file              model.onnx    model.onnx:batch=8,seq_len=128 (its symbolic sizes)
/// A name with a slash or an ending is a file; of other names a network comes before a preset, a
/// preset before a file of this name. All faults are reported; what is returned then is not to be
/// used.
[[nodiscard]] Workload load_workload(const std::string& name_or_file, const LoadOptions& options,
                                     Diagnostics& diagnostics);

/// The workload that `json` describes as a file would: a list of ops, or a network with its
/// parameters. `label` stands in messages for the file and gives the name of one that has none.
[[nodiscard]] Workload load_workload(const Json& json, const std::string& label,
                                     const LoadOptions& options, Diagnostics& diagnostics);

/// A name and a line about it, for `tilewave list`.
struct WorkloadEntry {
  std::string name;
  std::string description;
};
/// The networks of the zoo with their parameters.
[[nodiscard]] std::vector<WorkloadEntry> list_models();
/// The presets, sorted by name; the description is the file's "note".
[[nodiscard]] std::vector<WorkloadEntry> list_workload_presets(
    const std::filesystem::path& config_dir);

}  // namespace tilewave
