// SPDX-License-Identifier: Apache-2.0
// Several GPUs: collectives take the time of their ring and what the ends of each step add; each byte is
// accounted for (simulate() audits each run); networks spread over chips have the work of one in all.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

std::vector<std::string> ring(Count chips, double gb_per_s, double latency_ns, Count directions) {
  return {"chips=" + std::to_string(chips), R"(links={"bandwidth_gb_per_s": )" +
                                                std::to_string(gb_per_s) + R"(, "latency_ns": )" +
                                                std::to_string(latency_ns) + R"(, "directions": )" +
                                                std::to_string(directions) + "}"};
}

Workload collective(CollectiveKind kind, Count elements, DataType type = DataType::bf16) {
  return {.name = "x", .ops = {{.name = "x", .dtype = type, .shape = Collective{kind, elements}}}};
}

double ring_s(CollectiveKind kind, Count elements, Count chips, double gb_per_s, double latency_ns,
              Count directions) {
  const auto steps =
      static_cast<double>((chips - 1) * (kind == CollectiveKind::all_reduce ? 2 : 1));
  const auto part = static_cast<double>(2 * ceil_div(elements, chips));
  return steps * (part / (gb_per_s * static_cast<double>(directions) * 1e9) + latency_ns * 1e-9);
}

}  // namespace

TEST_CASE("a collective of GPUs is never faster than its ring, and always the same", "[gpu]") {
  const std::vector<std::string> machines{"a100_sxm_80gb", "h100_sxm", "v100_sxm2_16gb", "mi210"};
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomCases cases(seed);
    const auto kind = cases.one_of(
        {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter});
    const Count chips = cases.pick(2, 9), directions = cases.pick(1, 2);
    const auto gb_per_s = static_cast<double>(cases.pick(5, 450));
    const auto latency_ns = static_cast<double>(cases.pick(0, 2000));
    const Count elements = cases.pick(1, cases.one_of<Count>({20, 3000, 600'000}));
    INFO("seed " << seed);
    const RunRequest request =
        on_preset(machines[seed % machines.size()], ring(chips, gb_per_s, latency_ns, directions),
                  collective(kind, elements));
    const Json report = simulate(request).report;
    CHECK(report["total"]["time_s"].get<double>() >=
          ring_s(kind, elements, chips, gb_per_s, latency_ns, directions));
    const Count steps = (chips - 1) * (kind == CollectiveKind::all_reduce ? 2 : 1);
    CHECK(report["total"]["link_bytes"].get<Bytes>() == steps * 2 * ceil_div(elements, chips));
    CHECK(comparable(report) == comparable(simulate(request).report));
  }
}

// Each step ends when all has been written: a launch of CTAs, a load and a store.
TEST_CASE("large collectives of GPUs come near the ring formula", "[gpu]") {
  struct Row {
    CollectiveKind kind;
    Count chips;
    double gb_per_s;
    Count directions;
  };
  constexpr Count kElements = Count{1} << 27;
  for (const Row& row :
       {Row{CollectiveKind::all_reduce, 8, 450, 1}, Row{CollectiveKind::all_reduce, 4, 50, 2},
        Row{CollectiveKind::all_gather, 8, 300, 1},
        Row{CollectiveKind::reduce_scatter, 2, 25, 1}}) {
    const Json report =
        simulate(on_preset("h100_sxm", ring(row.chips, row.gb_per_s, 600, row.directions),
                           collective(row.kind, kElements)))
            .report;
    const double formula =
        ring_s(row.kind, kElements, row.chips, row.gb_per_s, 600, row.directions);
    INFO(row.chips << " chips, " << row.gb_per_s << " GB/s");
    CHECK(report["total"]["time_s"].get<double>() == Approx(formula).epsilon(0.03));
    CHECK(report["layers"][0]["bound"] == "link");
    CHECK(report["layers"][0]["traffic"]["link"]["utilization"].get<double>() > 0.95);
  }
}

TEST_CASE("tensor parallelism on GPUs: the work of one in all, and less time", "[gpu]") {
  const auto decode = [](const std::vector<std::string>& sets) {
    Workload layer{.name = "ffn", .ops = {}};
    Gemm up;
    up.m = 8, up.n = 16384, up.k = 4096;
    Gemm down = up;
    down.n = 4096, down.k = 16384;
    layer.ops.push_back({.name = "up", .dtype = DataType::bf16, .shape = up});
    layer.ops.push_back({.name = "down", .dtype = DataType::bf16, .shape = down, .inputs = {"up"}});
    return simulate(on_preset("h100_sxm", sets, layer)).report;
  };
  auto sets = ring(4, 450, 600, 1);
  sets.emplace_back("mapping.parallel=tensor");
  const Json one = decode({}), four = decode(sets);
  CHECK(four["total"]["all_chips"]["macs"] == one["total"]["macs"]);
  CHECK(four["layers"].size() == 3);
  CHECK(four["layers"][2]["op"] == "all_reduce");
  CHECK(four["total"]["dram_read_bytes"].get<double>() <
        0.27 * one["total"]["dram_read_bytes"].get<double>());
  CHECK(four["total"]["cycles"].get<double>() < 0.6 * one["total"]["cycles"].get<double>());
}
