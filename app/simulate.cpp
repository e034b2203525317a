// SPDX-License-Identifier: Apache-2.0
#include "app/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "app/gpu/simulate_gpu.hpp"
#include "app/one_chip.hpp"
#include "app/report/audit.hpp"
#include "app/report/run_data.hpp"
#include "app/request_hooks.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/mapping/lower.hpp"

namespace tilewave {

namespace {

bool needs_vector_unit(const Workload& workload) {
  return std::any_of(workload.ops.begin(), workload.ops.end(), [](const Op& op) {
    if (const auto* gemm = std::get_if<Gemm>(&op.shape)) return !gemm->epilogue.empty();
    if (const auto* conv = std::get_if<Conv2d>(&op.shape)) return !conv->epilogue.empty();
    return true;
  });
}

/// One record an op: those of its kernels, which ran one after another.
std::vector<LayerRecord> by_op(const std::vector<LayerRecord>& kernels,
                               const LoweredWorkload& lowered) {
  std::vector<LayerRecord> layers;
  for (std::size_t i = 0; i + 1 < lowered.first_kernel.size(); ++i) {
    layers.push_back(kernels[lowered.first_kernel[i]]);
    for (auto k = lowered.first_kernel[i] + 1; k < lowered.first_kernel[i + 1]; ++k) {
      layers.back() += kernels[k];
    }
  }
  return layers;
}

LoweredWorkload lower_checked(const RunRequest& request, std::vector<std::string>* warnings) {
  Diagnostics diagnostics;
  auto lowered =
      lower(request.workload, request.arch.chip.target(), request.arch.file, diagnostics);
  diagnostics.throw_if_errors();
  if (warnings == nullptr) return lowered;
  const Bytes capacity = request.arch.chip.dram.capacity_bytes;
  if (capacity > 0 && lowered.tensors.dram.used() > capacity) {
    warnings->push_back(fmt::format("the workload's tensors take {} bytes of DRAM, {} has {}",
                                    lowered.tensors.dram.used(), request.arch.chip.name, capacity));
  }
  if (!request.arch.chip.core.vector && needs_vector_unit(request.workload)) {
    warnings->push_back(
        fmt::format("{} has no vector unit: pooling, elementwise ops and epilogues take no time",
                    request.arch.chip.name));
  }
  return lowered;
}

}  // namespace

Json to_json(const ResolvedArch& arch) {
  return arch.gpu ? to_json(*arch.gpu) : to_json(arch.chip);
}

RunResult simulate(const RunRequest& asked) {
  if (asked.arch.gpu) return simulate_gpu(asked);
  const RunRequest request = of_one_chip(asked);
  const auto start = std::chrono::steady_clock::now();
  RunResult result;
  const LoweredWorkload lowered = lower_checked(request, &result.warnings);

  EventBus events;
  const auto& kernels = lowered.program.kernels;
  const RunHooks hooks = hooks_of(request, events, kernels.size(), [&](std::size_t kernel) {
    return static_cast<std::size_t>(kernels[kernel].layer);
  });
  ChipRun run = run_on_chip(request.arch.chip, lowered.program, request.fidelity, hooks);
  run.layers = by_op(run.layers, lowered);
  RunData data{
      .request = request, .lowered = lowered, .run = run, .energy = energy_of_layers(request, run)};
  audit(data);
  data.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.report = write_report(data);
  audit_report(result.report);
  return result;
}

std::string dump_program(const RunRequest& request) {
  if (request.arch.gpu) return dump_gpu_program(request);
  return program::to_text(lower_checked(of_one_chip(request), nullptr).program);
}

}  // namespace tilewave
