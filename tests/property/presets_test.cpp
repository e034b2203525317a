// SPDX-License-Identifier: Apache-2.0
// Every shipped machine runs every shipped network: simulate() audits each run, so that a violated
// law fails here.
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "app/simulate.hpp"
#include "workloads/load.hpp"
#include "workloads/models/registry.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

std::filesystem::path configs() {
  return std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
}

Workload load(const std::string& workload) {
  Diagnostics diagnostics;
  auto loaded = load_workload(workload, {.config_dir = configs()}, diagnostics);
  diagnostics.throw_if_errors();
  return loaded;
}

/// A product large enough that the arrays are what limits, small enough for a test.
Workload load_product() { return load("mlp:batch=4096,dtype=bf16"); }

Json report_of(const std::string& arch, const Workload& workload,
               const std::vector<std::string>& sets = {}) {
  RunRequest request;
  request.arch = resolve_preset(arch, sets);
  request.workload = workload;
  Json report = simulate(request).report;
  CHECK(report["layers"].size() == request.workload.ops.size());
  CHECK(report["total"]["cycles"].get<Cycle>() > 0);
  CHECK(report["total"]["utilization"].get<double>() <= 1.0);
  return report;
}

Json report_of(const std::string& arch, const std::string& workload,
               const std::vector<std::string>& sets = {}) {
  return report_of(arch, load(workload), sets);
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

// One core with windows, padded layouts and launch costs; and several cores.
TEST_CASE("TPU v3 runs every network") {
  for (const Model& model : models()) {
    std::string workload = short_form(model);
    workload += workload.find(':') == std::string::npos ? ":dtype=bf16" : ",dtype=bf16";
    INFO(workload);
    report_of("tpu_v3", workload,
              {"memory.dram.model=simple", "memory.dram.kind=hbm2",
               "memory.dram.bandwidth_gb_per_s=900"});
  }
}

TEST_CASE("every TPU runs, with its HBM, at no more than its published peak") {
  struct Chip {
    const char* name;
    double tflops;  // bf16; the presets' sources
  };
  const Workload product = load_product();
  for (const Chip& chip :
       {Chip{"tpu_v2", 46}, Chip{"tpu_v3", 123}, Chip{"tpu_v4", 275}, Chip{"tpu_v4i", 138},
        Chip{"tpu_v5e", 197}, Chip{"tpu_v5p", 459}, Chip{"tpu_v6e", 918}, Chip{"tpu_v7x", 2307}}) {
    INFO(chip.name);
    const Json report = report_of(chip.name, product);
    const double share = report["total"]["utilization"].get<double>();
    const double achieved = report["total"]["achieved_tflops"].get<double>();
    CHECK(achieved / share == Approx(chip.tflops).epsilon(0.005));
    CHECK(share > 0.4);
  }
}

TEST_CASE("an Ascend runs, with its L2 and HBM, at no more than its published peak") {
  struct Chip {
    const char* name;
    double tflops, least_share;  // fp16
  };
  const Workload product = load("mlp:batch=2048,dtype=fp16");
  for (const Chip& chip : {Chip{"ascend_910", 256, 0.3}, Chip{"ascend_910b", 353.9, 0.3}}) {
    INFO(chip.name);
    const Json report = report_of(chip.name, product);
    const double share = report["total"]["utilization"].get<double>();
    const double achieved = report["total"]["achieved_tflops"].get<double>();
    CHECK(achieved / share == Approx(chip.tflops).epsilon(0.005));
    CHECK(share > chip.least_share);
    // From level to level bandwidth falls.
    const auto& levels = report["total"]["levels"];
    for (const char* name : {"l0a", "l0b", "l0c", "l1", "l2", "dram"}) {
      INFO(name);
      CHECK(levels[name]["gb_per_s"].get<double>() > 0);
      CHECK(levels[name]["gb_per_s"].get<double>() <= levels[name]["peak_gb_per_s"].get<double>());
    }
    CHECK(levels["l1"]["gb_per_s"] < levels["l0a"]["gb_per_s"]);
    CHECK(levels["dram"]["gb_per_s"] < levels["l2"]["gb_per_s"]);
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
  RunRequest request;
  request.arch = resolve_preset("scale_sim_256_ws");
  Op op;
  op.name = "gemm";
  op.shape = Gemm{.m = 65536, .n = 65536, .k = 65536};
  request.workload = {.name = "large", .ops = {op}};
  const Json report = simulate(request).report;
  CHECK(report["total"]["macs"].get<Count>() == Count{1} << 48);
  CHECK(report["total"]["cycles"].get<Cycle>() == Cycle{256} * 256 * (65536 + 2 * 256 + 256 - 2));
  CHECK(report["total"]["dram_read_bytes"].get<Bytes>() == Bytes{2} << 32);
  CHECK(report["total"]["dram_write_bytes"].get<Bytes>() == Bytes{1} << 32);
}
