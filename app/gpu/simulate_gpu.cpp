// SPDX-License-Identifier: Apache-2.0
#include "app/gpu/simulate_gpu.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "app/gpu/gpu_run_data.hpp"
#include "app/one_chip.hpp"
#include "app/report/audit.hpp"
#include "app/request_hooks.hpp"
#include "arch/core/sm/detailed/cta_expansion.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

GpuWorkload lower_checked(const RunRequest& request, std::vector<std::string>* warnings) {
  const GpuParams& gpu = *request.arch.gpu;
  RunHooks hooks{.events = nullptr, .stop = request.stop, .progress = {}};
  const auto time_of = [&](const program::GpuProgram& program) {
    return run_on_gpu(gpu, program, Fidelity::fast, hooks).cycles;
  };
  Diagnostics diagnostics;
  auto lowered =
      lower_for_gpu(request.workload, gpu.target(), time_of, request.arch.file, diagnostics);
  diagnostics.throw_if_errors();
  if (warnings != nullptr && gpu.dram.capacity_bytes > 0 &&
      lowered.tensors.dram.used() > gpu.dram.capacity_bytes) {
    warnings->push_back(fmt::format("the workload's tensors take {} bytes of DRAM, {} has {}",
                                    lowered.tensors.dram.used(), gpu.name,
                                    gpu.dram.capacity_bytes));
  }
  return lowered;
}

}  // namespace

GpuLayer layer_of(const GpuRunData& data, std::size_t op) {
  GpuLayer layer;
  Cycle longest = 0;
  bool first = true;
  for (std::size_t k = data.lowered.first_kernel[op]; k < data.lowered.first_kernel[op + 1]; ++k) {
    const GpuKernelRecord& record = data.run.kernels[k];
    if (first) layer.start_cycle = record.start_cycle;
    first = false;
    layer.cycles += record.cycles();
    layer.launch_cycles += record.launch_cycles;
    layer.sms += record.sms;
    layer.memory += record.memory;
    layer.dram_busy_cycles += record.dram_busy_cycles;
    layer.ctas += record.ctas;
    layer.kernels += record.times;
    if (record.cycles() / record.times >= longest) {
      longest = record.cycles() / record.times;
      layer.occupancy = record.occupancy;
      layer.longest_blocks = data.lowered.program.kernels[k].kernel.blocks();
    }
  }
  // Whole cycles, the largest remainders rounded up.
  const Count sms = data.gpu().cores;
  std::vector<std::size_t> order;
  Cycle sum = 0;
  for (std::size_t c = 0; c < kSmCycles; ++c) {
    layer.breakdown[c] = layer.sms.breakdown[c] / sms;
    sum += layer.breakdown[c];
    order.push_back(c);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return layer.sms.breakdown[a] % sms > layer.sms.breakdown[b] % sms;
  });
  for (std::size_t i = 0; sum < layer.cycles && i < order.size(); ++i, ++sum) {
    ++layer.breakdown[order[i]];
  }
  return layer;
}

RunResult simulate_gpu(const RunRequest& asked) {
  const auto start = std::chrono::steady_clock::now();
  RunResult result;
  RunRequest request = of_one_chip(asked);
  const GpuWorkload lowered = lower_checked(request, &result.warnings);
  const auto covered = [](const auto& kernel) { return CtaExpansion::covers(kernel.cta); };
  if (request.fidelity == Fidelity::detailed &&
      !std::ranges::all_of(lowered.program.kernels, covered)) {
    result.warnings.emplace_back(
        "detailed does not cover attention by tcgen05 yet; the run is fast");
    request.fidelity = Fidelity::fast;
  }
  EventBus events;
  const auto& kernels = lowered.program.kernels;
  const RunHooks hooks = hooks_of(request, events, kernels.size(), [&](std::size_t kernel) {
    return static_cast<std::size_t>(kernels[kernel].kernel.layer);
  });
  const GpuRun run = run_on_gpu(*request.arch.gpu, lowered.program, request.fidelity, hooks);
  GpuRunData data{.request = request,
                  .lowered = lowered,
                  .run = run,
                  .energy = energy_of_gpu(request, lowered, run)};
  audit_gpu(data);
  data.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.report = write_gpu_report(data);
  audit_report(result.report);
  return result;
}

std::string dump_gpu_program(const RunRequest& request) {
  return program::to_text(lower_checked(of_one_chip(request), nullptr).program);
}

}  // namespace tilewave
