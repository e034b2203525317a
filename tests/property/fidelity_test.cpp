// SPDX-License-Identifier: Apache-2.0
// Whole machines: fast and detailed give the same report, and C is the product of A and B.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/products.hpp"
#include "support/random_cases.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("fast and detailed agree on whole machines, and the product is right") {
  constexpr int kCases = 1500;
  int products = 0, simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(seed));
    const Json machine = cases.machine();
    const Workload workload = cases.workload();
    INFO("seed " << seed);
    const auto ran = run_unless_too_small(machine, workload);
    if (!ran) continue;
    Json fast = *ran;
    ++simulated;
    Json detailed = comparable(run(machine, workload, Fidelity::detailed));
    fast.erase("fidelity");
    detailed.erase("fidelity");
    if (fast != detailed) FAIL(Json::diff(fast, detailed).dump(1).substr(0, 2000));
    for (const Json& layer : fast["layers"]) {
      if (!layer.contains("values")) continue;
      check_product(layer);
      ++products;
    }
  }
  CHECK(simulated > kCases * 9 / 10);
  CHECK(products > kCases / 3);
}

TEST_CASE("they agree where operands pass several PEs in a cycle, or arrays and lanes take turns") {
  constexpr int kCases = 400;
  int products = 0, simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(20000 + seed));
    Json machine = cases.machine();
    const Workload workload = cases.workload();
    const Count hops = cases.one_of<Count>({1, 2, 3, 20});
    machine["core"]["matrix_unit"]["hops_per_cycle"] = hops;
    machine["core"]["matrix_unit"]["weight_rows_per_cycle"] = cases.pick(1, hops);
    machine["core"]["vector_unit"]["overlaps_products"] = cases.pick(0, 1) == 1;
    INFO("seed " << seed);
    const auto ran = run_unless_too_small(machine, workload);
    if (!ran) continue;
    Json fast = *ran;
    ++simulated;
    Json detailed = comparable(run(machine, workload, Fidelity::detailed));
    fast.erase("fidelity");
    detailed.erase("fidelity");
    if (fast != detailed) FAIL(Json::diff(fast, detailed).dump(1).substr(0, 2000));
    for (const Json& layer : fast["layers"]) {
      if (!layer.contains("values")) continue;
      check_product(layer);
      ++products;
    }
  }
  CHECK(simulated > kCases * 9 / 10);
  CHECK(products > kCases / 3);
}

// Weights stream through DRAM controllers: what fast replays is what detailed does burst by burst,
// also what each layer's counters say.
TEST_CASE("fast and detailed agree on machines with DRAM controllers") {
  const Workload workload =
      workload_of({{"ops",
                    {{{"op", "gemm"}, {"name", "up"}, {"m", 3}, {"n", 1500}, {"k", 700}},
                     {{"op", "softmax"}, {"name", "soft"}, {"rows", 3}, {"cols", 1500}},
                     {{"op", "gemm"}, {"name", "down"}, {"m", 3}, {"n", 700}, {"k", 1500}},
                     {{"op", "gemm"}, {"name", "last"}, {"m", 3}, {"n", 64}, {"k", 700}}}}});
  for (const char* preset :
       {"ddr3_2133", "ddr4_3200", "lpddr5_6400", "gddr6_14000", "hbm2_2000", "hbm3_5200"}) {
    for (const char* request_bytes : {"512", "16384"}) {
      const Json machine =
          with(load_preset("tpu_v1"),
               {"core.matrix_unit.rows=32", "core.matrix_unit.cols=32",
                std::string("memory.dram.preset=") + preset, "memory.dram.channels=1",
                std::string("core.dma.request_bytes=") + request_bytes, "core.dma.outstanding=64",
                "core.dma.queue_depth=64", "core.buffers.weight_fifo.tiles=128"});
      INFO(preset << ", requests of " << request_bytes << " bytes");
      const Json whole = run(machine, workload, Fidelity::fast);
      CHECK(whole["host"]["replayed_bursts"].get<Count>() > 0);
      Json fast = comparable(whole),
           detailed = comparable(run(machine, workload, Fidelity::detailed));
      fast.erase("fidelity");
      detailed.erase("fidelity");
      if (fast != detailed) FAIL(Json::diff(fast, detailed).dump(1).substr(0, 2000));
    }
  }
}

TEST_CASE("a run is the same every time") {
  for (int seed = 0; seed < 20; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(5000 + seed));
    const Json machine = cases.machine();
    const Workload workload = cases.workload();
    try {
      const auto first = comparable(run(machine, workload)).dump();
      CHECK(first == comparable(run(machine, workload)).dump());
    } catch (const ConfigError&) {
      continue;
    }
  }
}
