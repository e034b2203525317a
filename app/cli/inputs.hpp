// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/simulate.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/load.hpp"

namespace tilewave {

/// What --set gives, by what it is about: paths of the machine, or of the workload, which begin
/// with "workload.".
struct Overrides {
  std::vector<std::string> arch;      ///< PATH=VALUE
  std::vector<std::string> workload;  ///< PATH=VALUE without "workload."
};
[[nodiscard]] Overrides split_overrides(const std::vector<std::string>& sets);

/// Text of --batch, --dtype or --fidelity; a wrong one is reported under `label`.
[[nodiscard]] std::optional<Count> parse_batch(const std::string& text, const std::string& label,
                                               Diagnostics& diagnostics);
[[nodiscard]] std::optional<DataType> parse_dtype(const std::string& text, const std::string& label,
                                                  Diagnostics& diagnostics);
[[nodiscard]] std::optional<Fidelity> parse_fidelity(const std::string& text,
                                                     const std::string& label,
                                                     Diagnostics& diagnostics);

/// Puts the workload's overrides into `options`: batch and dtype; others are reported, and so is
/// what --batch or --dtype says already.
void apply_workload_overrides(const std::vector<std::string>& sets, LoadOptions& options,
                              Diagnostics& diagnostics);

}  // namespace tilewave
