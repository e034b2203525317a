// SPDX-License-Identifier: Apache-2.0
// Kernels that are not simulated because the same ones ran before from the same state: the report is
// the same as if they were, byte for byte but for `host`.
#include "support/repeats.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/random_cases.hpp"

#include "app/library/arch_library.hpp"
#include "workloads/load.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// Runs both ways, compares, returns kernels that were not simulated.
Count repeated_kernels(const ResolvedArch& arch, const Workload& workload) {
  const Json report = with_repeats_skipped({.arch = arch, .workload = workload});
  return report["host"]["repeated_kernels"].get<Count>();
}

/// The ops one after another, again and again.
Workload again(const Workload& workload, int times) {
  Workload all = workload;
  all.ops.clear();
  for (int i = 0; i < times; ++i) {
    for (Op op : workload.ops) {
      op.name += fmt::format("_{}", i);
      op.inputs.clear();
      all.ops.push_back(std::move(op));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("layers that come again are simulated once: random machines and layers") {
  int with_repeats = 0;
  for (int seed = 0; seed < 400; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(seed));
    Json machine = cases.machine();
    Workload layer = cases.workload();
    for (Op& op : layer.ops) op.functional = false;
    INFO("seed " << seed);
    try {
      const ResolvedArch arch = resolve(machine);
      with_repeats += repeated_kernels(arch, again(layer, 2 + seed % 9)) > 0 ? 1 : 0;
    } catch (const ConfigError&) {
      continue;
    }
  }
  CHECK(with_repeats > 40);  // of others too few layers come again, or weights never stop coming
}

TEST_CASE("networks of equal layers: most kernels are not simulated") {
  const auto configs = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  struct Row {
    const char* workload;
    const char* clock;  // at 1 GHz a cycle is a whole number of femtoseconds, at 0.7 GHz seven are
  };
  for (const Row& row : {Row{"bert_base:seq_len=128,dtype=int8", "clock_ghz=1"},
                         Row{"bert_large:seq_len=512,batch=8,dtype=int8", "clock_ghz=0.7"},
                         Row{"llama2_7b:phase=decode,kv_len=128,dtype=int8", "clock_ghz=0.7"}}) {
    Diagnostics diagnostics;
    const std::vector<std::string> sets{row.clock, "memory.dram.model=simple",
                                        "memory.dram.bandwidth_gb_per_s=34"};
    const ResolvedArch arch = resolve_preset("tpu_v1", sets);
    const Workload workload = load_workload(row.workload, {.config_dir = configs}, diagnostics);
    diagnostics.throw_if_errors();
    INFO(row.workload);
    CHECK(repeated_kernels(arch, workload) > workload.ops.size() / 2);
  }
}

// Where addresses mean something the same kernel does not find the same memory.
TEST_CASE("with DRAM controllers, in detailed, or with a listener every kernel is simulated") {
  class Listener final : public EventListener {
   public:
    void slice(std::string_view, std::string_view, int, Cycle, Cycle) override { ++slices; }
    Count slices = 0;
  };
  const Workload workload = again(gemm_workload(64, 32, 32), 12);
  const auto repeated = [&](const Json& machine, Fidelity fidelity, EventListener* listener) {
    const RunRequest request{
        .arch = resolve(machine), .workload = workload, .fidelity = fidelity, .listener = listener};
    return simulate(request).report["host"]["repeated_kernels"].get<Count>();
  };
  // Fast enough that weights are there before they are needed: then nothing is under way in between.
  const Json machine = with(small_machine(), {"memory.dram.bandwidth_gb_per_s=64"});
  CHECK(repeated(machine, Fidelity::fast, nullptr) > 0);
  CHECK(repeated(machine, Fidelity::detailed, nullptr) == 0);
  Listener listener;
  CHECK(repeated(machine, Fidelity::fast, &listener) == 0);
  CHECK(listener.slices > 12);
  CHECK(repeated(with_l2(small_machine(), 4096), Fidelity::fast, nullptr) == 0);
  CHECK(repeated(with(load_preset("tpu_v1"), {"core.matrix_unit.rows=16"}), Fidelity::fast,
                 nullptr) == 0);
}
