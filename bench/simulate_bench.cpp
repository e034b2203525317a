// SPDX-License-Identifier: Apache-2.0
// Simulated cycles per second of host time, three fixed scenarios in both fidelities. Read the
// ratios within one run (scripts/bench.sh prints them), not the figures: they depend on the host.
#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "app/library/arch_library.hpp"
#include "app/library/config_dir.hpp"
#include "app/simulate.hpp"
#include "workloads/load.hpp"

namespace {

using namespace tilewave;

RunRequest request(const char* arch, const Workload& workload, Fidelity fidelity) {
  Diagnostics diagnostics;
  RunRequest run;
  run.arch = resolve_arch(arch, {}, config_dir(), diagnostics);
  run.workload = workload;
  run.fidelity = fidelity;
  diagnostics.throw_if_errors();
  return run;
}

void simulate_repeatedly(benchmark::State& state, const RunRequest& run) {
  double cycles = 0;
  for (auto _ : state) {
    const Json report = simulate(run).report;
    cycles += report["total"]["cycles"].get<double>();
  }
  state.counters["simulated_cycles_per_s"] =
      benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}

Workload resnet50() {
  Diagnostics diagnostics;
  auto workload = load_workload("resnet50", {.config_dir = config_dir()}, diagnostics);
  diagnostics.throw_if_errors();
  return workload;
}

Workload gemm(Count size) {
  Op op;
  op.name = "gemm";
  op.shape = Gemm{.m = size, .n = size, .k = size};
  return {.name = "gemm", .ops = {op}};
}

void run_scenario(benchmark::State& state, const char* arch, const Workload& workload,
                  Fidelity fidelity) {
  simulate_repeatedly(state, request(arch, workload, fidelity));
}

}  // namespace

// A network that waits for memory; a product that keeps a large array busy; one on a small array.
// The names are scenario/fidelity; a formatter takes the slash for a division.
// clang-format off
BENCHMARK_CAPTURE(run_scenario, resnet50_on_tpu_v1/fast, "tpu_v1", resnet50(), Fidelity::fast)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_scenario, resnet50_on_tpu_v1/detailed, "tpu_v1", resnet50(),
                  Fidelity::detailed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_scenario, gemm_2048_on_tpu_v1/fast, "tpu_v1", gemm(2048), Fidelity::fast)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_scenario, gemm_2048_on_tpu_v1/detailed, "tpu_v1", gemm(2048),
                  Fidelity::detailed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_scenario, gemm_512_on_gemmini/fast, "gemmini_16x16", gemm(512),
                  Fidelity::fast)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_scenario, gemm_512_on_gemmini/detailed, "gemmini_16x16", gemm(512),
                  Fidelity::detailed)
    ->Unit(benchmark::kMillisecond);
// clang-format on
