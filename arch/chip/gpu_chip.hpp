// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/chip/gpu_params.hpp"
#include "arch/chip/run_hooks.hpp"
#include "arch/core/sm/occupancy.hpp"
#include "arch/core/sm/sm_record.hpp"
#include "arch/memory/shared_l2/gpu_memory.hpp"
#include "arch/program/cta.hpp"
#include "sim/timeline.hpp"

namespace tilewave {

enum class Fidelity;  // of every core: arch/core/systolic_core.hpp

/// What a GPU did for one kernel.
struct GpuKernelRecord {
  Cycle start_cycle = 0, end_cycle = 0;  ///< its launch included
  Cycle launch_cycles = 0;
  SmRecord sms;  ///< sums over all SMs
  GpuMemoryCounts memory;
  double dram_busy_cycles = 0;
  Occupancy occupancy;
  Count ctas = 0;            ///< dispatched
  Count skipped_blocks = 0;  ///< of waves that were not simulated
  Count times = 1;           ///< that the kernel ran, all counted above
  [[nodiscard]] Cycle cycles() const { return end_cycle - start_cycle; }
};

struct GpuRun {
  std::vector<GpuKernelRecord> kernels;
  Cycle cycles = 0;
  Timeline timeline;  ///< channels of GpuTimeline
  Count events = 0;
  Count kernels_repeated = 0;  ///< not simulated, since they do what others did before
  Bytes dirty_bytes = 0;       ///< in the L2 when the run ended
};

struct GpuTimeline {
  enum Channel : std::size_t { tensor_cycles, dram_bytes, l2_bytes, count };
};

/// Builds the GPU (SMs; L2, DRAM and CTA dispatch) as SystemC modules in a context of its own and runs
/// the kernels one after another. Throws SimulationError on a deadlock or a violated law; Interrupted if
/// told to stop. `detailed`: warp instruction by warp instruction.
[[nodiscard]] GpuRun run_on_gpu(const GpuParams& gpu, const program::GpuProgram& program,
                                Fidelity fidelity, const RunHooks& hooks = {});

}  // namespace tilewave
