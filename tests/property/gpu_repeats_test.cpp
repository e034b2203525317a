// SPDX-License-Identifier: Apache-2.0
// Kernels of a GPU that are not simulated because the same ones ran before from the same state of the
// memory: all comes out the same as if they were, byte for byte.
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/random_cases.hpp"
#include "support/repeats.hpp"

#include "workloads/load.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

Workload network(const std::string& text) {
  const auto configs = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  Diagnostics diagnostics;
  Workload workload = load_workload(text, {.config_dir = configs}, diagnostics);
  diagnostics.throw_if_errors();
  return workload;
}

/// Runs both ways, compares, returns the share of kernels that were not simulated.
double repeated_share(const std::string& machine, const Workload& workload) {
  const Json report = with_repeats_skipped(on_preset(machine, {}, workload));
  Count kernels = 0;
  for (const Json& layer : report["layers"]) kernels += layer["kernels"].get<Count>();
  return report["host"]["repeated_kernels"].get<double>() / static_cast<double>(kernels);
}

}  // namespace

// Of sizes at which no kernel has so many waves that some are skipped.
TEST_CASE("layers that come again are simulated once, and the report stays the same", "[gpu]") {
  struct Row {
    const char *machine, *workload;
    double least_share;
  };
  for (const Row& row :
       {Row{"a100_sxm_80gb", "bert_base:seq_len=128,batch=2,dtype=bf16", 0.5},
        Row{"h100_sxm", "llama2_7b:phase=decode,kv_len=512,dtype=bf16,layers=8", 0.5},
        Row{"v100_sxm2_16gb", "bert_base:seq_len=64,dtype=fp16", 0.5},
        Row{"b200_sxm", "llama3_8b:phase=decode,kv_len=256,dtype=bf16,layers=8", 0.3},
        Row{"mi210", "gpt2:seq_len=64,dtype=fp16", 0.4},
        Row{"a100_sxm_80gb", "resnet50:batch=1,dtype=fp16", 0}}) {
    INFO(row.machine << " " << row.workload);
    CHECK(repeated_share(row.machine, network(row.workload)) >= row.least_share);
  }
}

TEST_CASE("random layers again and again come out the same, simulated or not", "[gpu]") {
  const std::vector<std::string> machines{"a100_sxm_40gb", "h100_sxm", "p100_sxm", "t4"};
  double repeated = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    RandomCases cases(seed);
    Workload workload{.name = "again", .ops = {}};
    const Count layers = cases.pick(3, 8), ops = cases.pick(1, 4);
    std::vector<Gemm> gemms(ops);
    for (Gemm& g : gemms) {
      g.m = cases.pick(1, cases.one_of<Count>({16, 300, 1500}));
      g.n = cases.pick(1, cases.one_of<Count>({16, 300, 1500}));
      g.k = cases.pick(1, cases.one_of<Count>({16, 300, 3000}));
      g.transpose_b = cases.pick(0, 1) == 1;
      g.batch = cases.one_of<Count>({1, 1, 2});
    }
    for (Count layer = 0; layer < layers; ++layer) {
      for (Count i = 0; i < ops; ++i) {
        workload.ops.push_back({.name = "l" + std::to_string(layer) + "_" + std::to_string(i),
                                .dtype = DataType::fp16,
                                .shape = gemms[i]});
      }
    }
    INFO("seed " << seed);
    repeated += repeated_share(machines[seed % machines.size()], workload);
  }
  CHECK(repeated > 0.15 * 24);
}
