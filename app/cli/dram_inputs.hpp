// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/syntax.hpp"
#include "app/dram/dram_run.hpp"
#include "app/dram/traffic.hpp"
#include "app/simulate.hpp"
#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// What `tilewave dram` runs.
struct DramInputs {
  DramRunRequest run{};
  std::unique_ptr<TrafficSource> source;
  Json traffic;  ///< for the report: the pattern with its parameters, or the trace
  Fidelity fidelity = Fidelity::fast;
};

/// Reads the command's options, the memory and the beginning of a trace. Every fault goes to
/// `diagnostics`; after one, what is returned is not to be used.
[[nodiscard]] DramInputs read_dram_inputs(const Arguments& arguments, Diagnostics& diagnostics);

}  // namespace tilewave
