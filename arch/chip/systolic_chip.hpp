// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "arch/chip/chip_params.hpp"
#include "arch/chip/run_hooks.hpp"
#include "arch/core/systolic_core.hpp"

namespace tilewave {

/// What a run of a program on a chip gives.
struct ChipRun {
  std::vector<LayerRecord> layers;  ///< one a kernel
  Cycle cycles = 0;
  Count array_macs = 0;  ///< as the arrays counted them
  Timeline timeline{kTimelineChannels};
  nlohmann::ordered_json statistics;
  Count events = 0;  ///< wake-ups of processes
  /// Bursts that DRAM controllers did not do one by one (dram_stretch.hpp).
  Count replayed_bursts = 0;
  std::size_t kernels_repeated = 0;  ///< that were not simulated (Repeats)
};

/// Builds the chip (cores, memory controllers or simple memories, links) as SystemC modules in a
/// context of its own and runs the program to its end. Throws SimulationError on a deadlock, naming
/// who waits for what, or a violated law; Interrupted if told to stop.
[[nodiscard]] ChipRun run_on_chip(const ChipParams& chip, const program::Program& program,
                                  Fidelity fidelity, const RunHooks& hooks = {});

}  // namespace tilewave
