// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/chip/gpu_params.hpp"
#include "arch/chip/systolic_chip.hpp"
#include "sim/config/json.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A machine as resolved from presets, files and --set, and where it came from (for messages).
struct ResolvedArch {
  std::string file;                      ///< file or preset that faults are reported under
  ChipParams chip;                       ///< of a systolic machine
  std::shared_ptr<const GpuParams> gpu;  ///< of a machine of SMs, else null
  EnergyTable energy;

  [[nodiscard]] const std::string& name() const { return gpu ? gpu->name : chip.name; }
  [[nodiscard]] Frequency clock() const { return gpu ? gpu->clock() : chip.clock(); }
  [[nodiscard]] Count peak_macs_per_cycle(DataType type) const {
    return gpu ? gpu->peak_fma_per_cycle(type) : chip.peak_macs_per_cycle();
  }
  [[nodiscard]] Count chips() const { return gpu ? gpu->chips : chip.chips; }
  [[nodiscard]] Parallelism parallel() const { return gpu ? gpu->shares.parallel : chip.parallel; }
  /// Chips that share a network's batch.
  [[nodiscard]] Count batch_shares() const {
    return gpu ? gpu->batch_shares() : chip.batch_shares();
  }
  [[nodiscard]] Count vector_lanes() const {
    return gpu ? gpu->cores * gpu->sm.sub_cores * gpu->sm.lanes.fp32 : chip.vector_lanes();
  }
};
/// The resolved machine as an architecture file has it (without notes).
[[nodiscard]] Json to_json(const ResolvedArch& arch);

/// What one run is.
struct RunRequest {
  ResolvedArch arch{};
  Workload workload{};
  Fidelity fidelity = Fidelity::fast;
  const std::atomic<bool>* stop = nullptr;
  /// Layers complete, layers in all, simulated cycle.
  std::function<void(std::size_t done, std::size_t total, Cycle now)> progress{};
  EventListener* listener = nullptr;  ///< trace recorder, tests
  bool skip_repeats = true;           ///< RunHooks::skip_repeats
};

/// The report (design, section 7) and what was noticed on the way.
struct RunResult {
  nlohmann::ordered_json report;
  std::vector<std::string> warnings;
};

/// Maps the workload to the machine, simulates, audits the run and writes the report. Throws
/// ConfigError (the input is wrong: nothing was simulated), SimulationError (the run failed or
/// violated a law) or Interrupted.
[[nodiscard]] RunResult simulate(const RunRequest& request);

/// The program the mapper makes of the workload, in words (--dump-program).
[[nodiscard]] std::string dump_program(const RunRequest& request);

}  // namespace tilewave
