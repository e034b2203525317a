// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/gpu_chip.hpp"

#include "arch/chip/gpu_uncore.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

GpuRun run_on_gpu(const GpuParams& gpu, const program::GpuProgram& program, Fidelity fidelity,
                  const RunHooks& hooks) {
  SimulationContext context;
  const ClockDomain clock(gpu.clock());
  Timeline timeline(GpuTimeline::count);
  GpuUncore uncore("uncore", gpu, program, clock, context, hooks, timeline, fidelity);
  context.run();
  if (!uncore.finished()) {
    throw SimulationError("deadlock: nothing is scheduled any more\n" + uncore.describe());
  }
  GpuRun run{.kernels = std::move(uncore.records()),
             .cycles = 0,
             .timeline = std::move(timeline),
             .events = uncore.events(),
             .kernels_repeated = uncore.kernels_repeated(),
             .dirty_bytes = uncore.memory().dirty_bytes()};
  run.cycles = run.kernels.empty() ? 0 : run.kernels.back().end_cycle;
  run.timeline.cover(run.cycles);
  return run;
}

}  // namespace tilewave
