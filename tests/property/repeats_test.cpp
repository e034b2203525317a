// SPDX-License-Identifier: Apache-2.0
// Kernels that are not simulated because the same ones ran before from the same state: the report is
// the same as if they were, byte for byte but for `host`.
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
  RunRequest request{.arch = arch, .workload = workload};
  const Json skipped = simulate(request).report;
  request.skip_repeats = false;
  const Json whole = simulate(request).report;
  CHECK(whole["host"]["repeated_kernels"].get<Count>() == 0);
  if (comparable(skipped).dump() != comparable(whole).dump()) {
    FAIL(Json::diff(comparable(whole), comparable(skipped)).dump(1).substr(0, 2000));
  }
  return skipped["host"]["repeated_kernels"].get<Count>();
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
  CHECK(with_repeats > 100);
}

TEST_CASE("networks of equal layers: most layers are not simulated") {
  const auto configs = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  struct Row {
    const char *arch, *workload;
    std::vector<std::string> sets;
    double least_share;
  };
  const std::vector<std::string> simple{"memory.dram.model=simple",
                                        "memory.dram.bandwidth_gb_per_s=34"};
  for (const Row& row :
       {Row{"tpu_v1", "bert_base:seq_len=512,batch=8,dtype=int8", simple, 0.2},
        Row{"gemmini_16x16", "bert_base:seq_len=64,dtype=int8", {}, 0.5},
        Row{"tpu_v1", "llama2_7b:phase=decode,kv_len=128,dtype=int8", simple, 0}}) {
    Diagnostics diagnostics;
    const ResolvedArch arch = resolve_arch(row.arch, row.sets, configs, diagnostics);
    const Workload workload = load_workload(row.workload, {.config_dir = configs}, diagnostics);
    diagnostics.throw_if_errors();
    const auto repeated = static_cast<double>(repeated_kernels(arch, workload));
    INFO(row.arch << ", " << row.workload << ": " << repeated << " of " << workload.ops.size());
    CHECK(repeated >= row.least_share * static_cast<double>(workload.ops.size()));
  }
}
