// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/simulate.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::python {

/// What a user gives for a run. Of a machine or a workload, either the name (preset, network or file) or
/// the JSON text is set.
struct Inputs {
  std::optional<std::string> arch_name;
  std::optional<std::string> arch_json;
  std::optional<std::string> workload_name;
  std::optional<std::string> workload_json;
  std::vector<std::string> sets;  ///< PATH=VALUE; of the workload as workload.PATH=VALUE
  std::optional<std::string> batch;
  std::optional<std::string> dtype;
  std::string fidelity = "fast";
  bool scale_sim_ceil = false;
};

[[nodiscard]] ResolvedArch read_arch(const Inputs& inputs, Diagnostics& diagnostics);
/// `batch_shares`: chips that share the batch.
[[nodiscard]] Workload read_workload(const Inputs& inputs, Count batch_shares,
                                     Diagnostics& diagnostics);
/// All of it; faults of machine and workload are reported together.
[[nodiscard]] RunRequest read_request(const Inputs& inputs, Diagnostics& diagnostics);

/// The warnings, one text each.
[[nodiscard]] std::vector<std::string> warnings_of(const Diagnostics& diagnostics);

}  // namespace tilewave::python
