// SPDX-License-Identifier: Apache-2.0
// Every shipped machine runs every shipped network: simulate() audits each run, so that a violated
// law fails here.
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"

#include "app/library/arch_library.hpp"
#include "app/simulate.hpp"
#include "workloads/load.hpp"
#include "workloads/models/registry.hpp"

using namespace tilewave;

namespace {

Json report_of(const std::string& arch, const std::string& workload,
               const std::vector<std::string>& sets = {}) {
  const auto configs = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  Diagnostics diagnostics;
  RunRequest request;
  request.arch = resolve_arch(arch, sets, configs, diagnostics);
  request.workload = load_workload(workload, {.config_dir = configs}, diagnostics);
  diagnostics.throw_if_errors();
  Json report = simulate(request).report;
  CHECK(report["layers"].size() == request.workload.ops.size());
  CHECK(report["total"]["cycles"].get<Cycle>() > 0);
  CHECK(report["total"]["utilization"].get<double>() <= 1.0);
  return report;
}

/// A network, of those with repeated layers one layer.
std::string short_form(const Model& model) {
  for (const ModelParameter& p : model.parameters) {
    if (p.name == "layers") return std::string(model.name) + ":layers=1";
  }
  return std::string(model.name);
}

}  // namespace

TEST_CASE("every machine runs networks") {
  for (const char* arch :
       {"gemmini_16x16", "scale_sim_32_is", "scale_sim_128_os", "scale_sim_256_ws"}) {
    for (const char* model :
         {"alexnet", "resnet18", "resnet50", "mobilenet_v2", "mlp", "dlrm", "efficientnet_b0",
          "wavenet:layers=3", "bert_base:layers=1,seq_len=64", "llama3_8b:layers=1,seq_len=16"}) {
      INFO(arch << ", " << model);
      report_of(arch, model);
    }
  }
}

// Without DRAM controllers, which the networks above meet on TPU v1's golden runs.
TEST_CASE("TPU v1 runs every network") {
  for (const Model& model : models()) {
    const std::string workload = short_form(model);
    INFO(workload);
    report_of("tpu_v1", workload,
              {"memory.dram.model=simple", "memory.dram.bandwidth_gb_per_s=34"});
  }
}

TEST_CASE("training steps and decoding run") {
  for (const char* workload : {"resnet50:phase=training", "bert_base:phase=training,layers=1",
                               "llama2_7b:phase=decode,kv_len=100,layers=1"}) {
    INFO(workload);
    report_of("tpu_v1", workload,
              {"memory.dram.model=simple", "memory.dram.bandwidth_gb_per_s=34"});
  }
}

// A decoding step reads all its weights: streams, which are mostly replayed (dram_stretch.hpp).
TEST_CASE("TPU v1 decodes with DRAM controllers, and most bursts are not done one by one") {
  const Json report = report_of("tpu_v1", "llama2_7b:phase=decode,kv_len=2048,layers=1,dtype=int8");
  const Bytes burst_bytes = 64;
  const auto bursts = report["total"]["dram_read_bytes"].get<Bytes>() / burst_bytes;
  CHECK(bursts > 1'000'000);
  CHECK(report["host"]["replayed_bursts"].get<Count>() > bursts * 8 / 10);
}

// 2^48 multiply-accumulates and 2^34 bytes do not fit 32 bits; an array of 65536 PEs keeps it
// short.
TEST_CASE("a product of 65536 x 65536 x 65536 is counted in full") {
  const auto configs = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  Diagnostics diagnostics;
  RunRequest request;
  request.arch = resolve_arch("scale_sim_256_ws", {}, configs, diagnostics);
  Op op;
  op.name = "gemm";
  op.shape = Gemm{.m = 65536, .n = 65536, .k = 65536};
  request.workload = {.name = "large", .ops = {op}};
  diagnostics.throw_if_errors();
  const Json report = simulate(request).report;
  CHECK(report["total"]["macs"].get<Count>() == Count{1} << 48);
  CHECK(report["total"]["cycles"].get<Cycle>() == Cycle{256} * 256 * (65536 + 2 * 256 + 256 - 2));
  CHECK(report["total"]["dram_read_bytes"].get<Bytes>() == Bytes{2} << 32);
  CHECK(report["total"]["dram_write_bytes"].get<Bytes>() == Bytes{1} << 32);
}
