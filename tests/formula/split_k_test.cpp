// SPDX-License-Identifier: Apache-2.0
// Split-K by hand: what a product with few results gains from dealing k to the cores.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "app/simulate.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// Cores with an array of 8 x 8 that keeps sums, and a memory that answers at once.
Json cores_without_memory_limit(Count cores) {
  Json machine = ideal_machine(8, 8, "output_stationary");
  machine["cores"] = cores;
  machine["core"]["vector_unit"] = {{"lanes", 8}, {"latency_cycles", 4}};
  return machine;
}

Json layer_of(const Json& report) { return report["layers"][0]; }

}  // namespace

TEST_CASE("a product of one tile takes as many times less as there are cores", "[split_k]") {
  // 8 x 8 results, one product a PE and cycle: k cycles on a core.
  constexpr Count kDepth = 65536;
  const Workload workload = gemm_workload(8, 8, kDepth);
  for (const Count cores : {2, 4, 8}) {
    const Json machine = cores_without_memory_limit(cores);
    const Json whole = run(with(machine, {"mapping.split_k=1"}), workload);
    const Json dealt = run(machine, workload);
    const auto alone = whole["total"]["cycles"].get<double>();
    const auto together = dealt["total"]["cycles"].get<double>();
    INFO(cores << " cores: " << alone << " " << together << " "
               << layer_of(dealt)["kernel"].get<std::string>());
    CHECK(alone >= kDepth);
    CHECK(alone < kDepth * 1.01);
    const double share = kDepth / static_cast<double>(cores);
    CHECK(together >= share);
    CHECK(together < share * 1.03);
    CHECK(layer_of(dealt)["kernel"].get<std::string>().find(std::to_string(cores) + " by k") !=
          std::string::npos);
    CHECK(layer_of(dealt)["bound"] == "matrix");
  }
}

TEST_CASE("on ascend_910b a sum of a million products is bound by the memory", "[split_k]") {
  // One row of 16 results: one core has 110 bytes a cycle, all of them the HBM.
  Workload workload = gemm_workload(1, 16, Count{1} << 19, DataType::fp16);
  const auto report = [&](const std::string& split) {
    return simulate(on_preset("ascend_910b", {"mapping.split_k=" + split}, workload)).report;
  };
  const Json whole = layer_of(report("1")), dealt = layer_of(report("0"));
  const auto launch = dealt["breakdown"]["launch"].get<double>();
  const auto alone = whole["cycles"].get<double>() - launch;
  const auto together = dealt["cycles"].get<double>() - launch;
  INFO(alone << " " << together << " " << dealt["kernel"].get<std::string>());
  const double bytes = 17.0 * 2 * (1 << 19);
  CHECK(alone > bytes / 110);
  CHECK(together < alone / 3);
  CHECK(dealt["kernel"].get<std::string>().find("24 by k") != std::string::npos);
}

TEST_CASE("on ascend_910b small tiles use all cores too: parts of k save L2, not HBM",
          "[split_k]") {
  // 64 tiles of 16 x 16 are enough for 24 cores, which then fetch rows and columns several times.
  const Workload workload = gemm_workload(128, 128, 65536, DataType::fp16);
  const auto layer = [&](const std::string& split) {
    return layer_of(
        simulate(on_preset("ascend_910b", {"mapping.split_k=" + split}, workload)).report);
  };
  const Json whole = layer("1"), dealt = layer("3");
  const auto bytes = [](const Json& of, const char* level) {
    return of["traffic"][level]["read_bytes"].get<double>();
  };
  CHECK(whole["kernel"].get<std::string>().find("over 24 cores: 4 by m, 6 by n") !=
        std::string::npos);
  CHECK(bytes(dealt, "l2") < 0.65 * bytes(whole, "l2"));
  const double operands = 2.0 * 2 * 128 * 65536;
  for (const Json* l : {&whole, &dealt}) {
    CHECK(bytes(*l, "dram") >= operands);
    CHECK(bytes(*l, "dram") < 1.02 * operands);
  }
  CHECK(dealt["cycles"].get<double>() < 1.05 * whole["cycles"].get<double>());
}
