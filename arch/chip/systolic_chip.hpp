// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <tlm>
#include <vector>

#include "arch/chip/chip_params.hpp"
#include "arch/core/systolic_core.hpp"

namespace tilewave {

/// The run was stopped from outside (Ctrl-C); exit status 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

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

/// Options of a run that change nothing about its result.
struct RunHooks {
  const EventBus* events = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< set from a signal handler
  /// Called now and then with kernels complete and the current cycle.
  std::function<void(std::size_t, Cycle)> progress;
  /// Kernels that do what others did before are not simulated again; the outcome is the same.
  bool skip_repeats = true;
  /// Someone else's memory in the place of the machine's own: makes a TLM-2.0 target (base protocol,
  /// AT) and binds the socket to it.
  std::function<std::unique_ptr<sc_core::sc_module>(tlm::tlm_initiator_socket<>&)> dram{};
};

/// Builds the chip (cores, memory controllers or simple memories, links) as SystemC modules in a
/// context of its own and runs the program to its end. Throws SimulationError on a deadlock, naming
/// who waits for what, or a violated law; Interrupted if told to stop.
[[nodiscard]] ChipRun run_on_chip(const ChipParams& chip, const program::Program& program,
                                  Fidelity fidelity, const RunHooks& hooks = {});

}  // namespace tilewave
