// SPDX-License-Identifier: Apache-2.0
// Machines of several cores, with launch costs, paths of limited width, windows and padded layouts:
// fast and detailed give the same report, and C is the product of A and B whoever computed it.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/products.hpp"
#include "support/random_cases.hpp"

#include "workloads/workload_json.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("fast and detailed agree on machines of several cores, and the product is right") {
  constexpr int kCases = 600;
  int products = 0, simulated = 0, dealt = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(seed));
    Json machine = cases.chip_of_cores();
    const Workload workload = cases.workload();
    machine["mapping"]["core_split_elements"] = cases.one_of<Count>({0, 0, 200});
    machine["core"]["vector_unit"]["overlaps_products"] = cases.pick(0, 1) == 1;
    INFO("seed " << seed << " " << machine.dump() << to_json(workload).dump());
    const auto ran = run_unless_too_small(machine, workload);
    if (!ran) continue;
    Json fast = *ran;
    ++simulated;
    Json detailed = comparable(run(machine, workload, Fidelity::detailed));
    // The timeline adds up what cores did in the order in which they did it: rounding may differ.
    for (const char* key : {"fidelity", "timeline"}) {
      fast.erase(key);
      detailed.erase(key);
    }
    if (fast != detailed) FAIL(Json::diff(fast, detailed).dump(1).substr(0, 2000));
    for (const Json& layer : fast["layers"]) {
      if (layer["kernel"].get<std::string>().find("cores") != std::string::npos) ++dealt;
      if (!layer.contains("values")) continue;
      check_product(layer);
      ++products;
    }
  }
  CHECK(simulated > kCases * 8 / 10);
  CHECK(products > kCases / 3);
  CHECK(dealt > kCases / 3);
}

// Sets of tiles that are fetched ahead for the next rows, of numbers that the vector unit converts, in buffers
// that hold little more than a set: nobody waits for the other (a deadlock throws).
TEST_CASE("products of converted numbers on several arrays of several cores end") {
  constexpr int kCases = 800;
  int simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(5000 + seed));
    Json machine = cases.chip_of_cores();
    auto& core = machine["core"];
    core["matrix_unit"]["count"] = cases.pick(2, 4);
    core["matrix_unit"]["cast_operations"] = {{"fp16", cases.pick(1, 2)}};
    core["buffers"]["activation"]["capacity_bytes"] = cases.one_of<Count>({2048, 4096, 8192});
    if (core["buffers"].contains("weight_fifo")) {
      core["buffers"]["weight_fifo"]["tiles"] =
          core["matrix_unit"]["count"].get<Count>() + cases.pick(0, 3);
    }
    machine["mapping"]["core_split_macs"] = 0;
    Gemm g;
    g.m = cases.pick(1, 40), g.n = cases.pick(1, 60), g.k = cases.pick(1, 300);
    g.batch = cases.pick(1, 2);
    const Workload workload{.name = "w",
                            .ops = {{.name = "g", .dtype = DataType::fp16, .shape = g}}};
    INFO("seed " << 5000 + seed << " " << machine.dump() << to_json(workload).dump());
    if (run_unless_too_small(machine, workload)) ++simulated;
  }
  CHECK(simulated > kCases / 3);
}

TEST_CASE("ops of every kind run on several cores") {
  constexpr int kCases = 150;
  int simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(1000 + seed));
    Json machine = cases.chip_of_cores();
    machine["core"]["buffers"]["activation"]["capacity_bytes"] = 65536;
    Json attention = {{"op", "attention"}, {"name", "a"},   {"batch", cases.pick(1, 3)},
                      {"heads", 4},        {"kv_heads", 2}, {"q_len", cases.pick(1, 20)},
                      {"kv_len", 20},      {"head_dim", 8}, {"algorithm", "flash"}};
    const Workload workload = workload_of(
        {{"dtype", "int8"},
         {"ops",
          {attention,
           {{"op", "layernorm"}, {"name", "n"}, {"rows", cases.pick(1, 30)}, {"cols", 24}},
           {{"op", "lstm"},
            {"name", "l"},
            {"batch", 3},
            {"input", 8},
            {"hidden", 12},
            {"steps", 3}},
           {{"op", "moe"},
            {"name", "m"},
            {"tokens", 5},
            {"hidden", 12},
            {"ffn", 20},
            {"experts", 4},
            {"top_k", 2}}}}});
    INFO("seed " << seed << " " << machine.dump());
    try {
      // Audits itself: work and bytes conserved, whatever core did it.
      const Json fast = comparable(run(machine, workload, Fidelity::fast));
      CHECK(fast["total"] == comparable(run(machine, workload, Fidelity::detailed))["total"]);
      ++simulated;
    } catch (const ConfigError&) {
      continue;  // too small for it
    }
  }
  CHECK(simulated > kCases / 2);
}
