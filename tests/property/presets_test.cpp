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

using namespace tilewave;

TEST_CASE("every machine runs every network") {
  const auto configs = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  for (const char* arch :
       {"tpu_v1", "gemmini_16x16", "scale_sim_32_is", "scale_sim_128_os", "scale_sim_256_ws"}) {
    // The other networks have ops that no machine has kernels for yet.
    for (const char* model : {"alexnet", "vgg16", "resnet18", "resnet50", "mobilenet_v2", "mlp"}) {
      INFO(arch << ", " << model);
      Diagnostics diagnostics;
      RunRequest request;
      request.arch = resolve_arch(arch, {}, configs, diagnostics);
      request.workload = load_workload(model, {.config_dir = configs}, diagnostics);
      diagnostics.throw_if_errors();
      const Json report = simulate(request).report;
      CHECK(report["layers"].size() == request.workload.ops.size());
      CHECK(report["total"]["cycles"].get<Cycle>() > 0);
      CHECK(report["total"]["utilization"].get<double>() <= 1.0);
    }
  }
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
