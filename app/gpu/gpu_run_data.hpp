// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/simulate.hpp"
#include "arch/chip/gpu_chip.hpp"
#include "workloads/kernels/gpu/lower_gpu.hpp"

namespace tilewave {

/// All that is known after a run on a GPU, before it is written down.
struct GpuRunData {
  const RunRequest& request;
  const GpuWorkload& lowered;
  const GpuRun& run;
  std::vector<EnergySplit> energy;  ///< of each op
  double wall_s = 0;

  [[nodiscard]] const GpuParams& gpu() const { return *request.arch.gpu; }
  [[nodiscard]] std::size_t ops() const { return request.workload.ops.size(); }
};

/// The kernels of an op together.
struct GpuLayer {
  Cycle start_cycle = 0, cycles = 0, launch_cycles = 0;
  SmRecord sms;
  GpuMemoryCounts memory;
  double dram_busy_cycles = 0;
  Count ctas = 0, kernels = 0;
  Occupancy occupancy;  ///< of the longest kernel
  Count longest_blocks = 0;
  /// Of an SM on average, in whole cycles that sum to the layer's.
  SmBreakdown breakdown{};
};
[[nodiscard]] GpuLayer layer_of(const GpuRunData& data, std::size_t op);

[[nodiscard]] std::vector<EnergySplit> energy_of_gpu(const RunRequest& request,
                                                     const GpuWorkload& lowered, const GpuRun& run);
/// Laws that a run must keep; throws SimulationError.
void audit_gpu(const GpuRunData& data);
[[nodiscard]] Json write_gpu_report(const GpuRunData& data);

}  // namespace tilewave
