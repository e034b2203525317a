// SPDX-License-Identifier: Apache-2.0
// Collectives of any size on random machines: never faster than their ring, the same every time, and
// (simulate() audits each run) no byte lost.
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

#include "sim/diagnostics.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("a collective is never faster than its ring, and always the same", "[collectives]") {
  constexpr int kCases = 300;
  int simulated = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(77'000 + seed));
    CAPTURE(seed);
    Json machine = cases.machine();
    const Count chips = cases.pick(2, 9), bytes_per_cycle = cases.pick(1, 64);
    const Count latency = cases.pick(0, 3000), directions = cases.pick(1, 2);
    machine["clock_ghz"] = 1.0;
    machine["chips"] = chips;
    machine["links"] = {{"bandwidth_gb_per_s", bytes_per_cycle},
                        {"latency_ns", latency},
                        {"directions", directions}};
    const auto kind = cases.one_of(
        {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter});
    const Count elements = cases.pick(1, cases.one_of<Count>({20, 3000, 60'000}));
    const Workload workload{
        .name = "x",
        .ops = {{.name = "x", .dtype = DataType::int8, .shape = Collective{kind, elements}}}};
    Json report;
    try {
      report = run(machine, workload);
    } catch (const ConfigError&) {
      continue;  // buffers too small, or a memory for weights only
    }
    if (report["layers"][0]["flops"] == 0 && report["total"]["link_bytes"] == 0) continue;
    ++simulated;
    const Count steps = (chips - 1) * (kind == CollectiveKind::all_reduce ? 2 : 1);
    const Count part = ceil_div(elements, chips);
    const double formula =
        static_cast<double>(steps) *
        (static_cast<double>(part) / static_cast<double>(bytes_per_cycle * directions) +
         static_cast<double>(latency));
    CHECK(report["total"]["cycles"].get<double>() >= std::floor(formula));
    CHECK(report["total"]["link_bytes"].get<Bytes>() == steps * part);
    CHECK(comparable(report) == comparable(run(machine, workload)));
  }
  CHECK(simulated > kCases / 4);
}
