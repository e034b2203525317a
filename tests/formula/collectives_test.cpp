// SPDX-License-Identifier: Apache-2.0
// Collectives around a ring against the formula, steps x (part / bandwidth + latency), and what is
// lost to a slow memory.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "app/simulate.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

constexpr Count kLinkBytesPerCycle = 16;
/// What has arrived is seen by the core a cycle later, in each step.
constexpr Cycle kSeen = 1;

/// `chips` at 1 GHz with links of 16 GB/s, ideal memory and buffers, and a vector unit that adds any
/// piece in a cycle.
Json ring_machine(Count chips, double latency_ns) {
  Json machine = ideal_machine(4, 4, "weight_stationary");
  machine["core"]["vector_unit"] = {{"lanes", 1U << 20}};
  machine["core"]["dma"] = {{"queue_depth", 16}, {"request_bytes", 4096}, {"outstanding", 4096}};
  machine["chips"] = chips;
  machine["links"] = {{"bandwidth_gb_per_s", kLinkBytesPerCycle}, {"latency_ns", latency_ns}};
  return machine;
}

Workload collective(const std::string& op, Count elements) {
  return workload_of({{"dtype", "int8"},
                      {"ops", Json::array({{{"op", op}, {"name", "x"}, {"elements", elements}}})}});
}

}  // namespace

TEST_CASE("a collective alone takes the time of the ring's formula", "[collectives]") {
  const Count chips = GENERATE(2U, 3U, 4U, 8U);
  // Of a part: many pieces (the link's bandwidth counts), two, less than one (its latency counts).
  const auto [part_bytes, latency] =
      GENERATE(std::pair<Count, Cycle>{1U << 20, 100}, std::pair<Count, Cycle>{1U << 22, 5000},
               std::pair<Count, Cycle>{32768, 500}, std::pair<Count, Cycle>{512, 5000});
  const std::string op = GENERATE("all_reduce", "reduce_scatter", "all_gather");
  CAPTURE(chips, part_bytes, latency, op);
  const Json report =
      run(ring_machine(chips, static_cast<double>(latency)), collective(op, chips * part_bytes));
  const Count steps = (chips - 1) * (op == "all_reduce" ? 2 : 1);
  const Cycle formula = steps * (part_bytes / kLinkBytesPerCycle + latency + kSeen);
  // A part in one piece is passed on when it has been added, a cycle a step; of several, only the
  // last addition of all is seen, if nothing is sent behind it.
  const bool one_piece = part_bytes < 16384;
  const Count reducing = op == "all_gather" ? 0 : chips - 1;
  const Cycle adding = one_piece ? reducing : op == "reduce_scatter" ? 1 : 0;
  CHECK(report["total"]["cycles"].get<Cycle>() == formula + adding);
  CHECK(report["total"]["link_bytes"].get<Bytes>() == steps * part_bytes);
  CHECK(report["total"]["flops"].get<Count>() == reducing * part_bytes);
  CHECK(report["layers"][0]["bound"] ==
        (part_bytes / kLinkBytesPerCycle > latency ? "link" : "latency"));
}

TEST_CASE("both directions of a ring halve the bytes' time", "[collectives]") {
  const Count part_bytes = 1U << 20;
  Json machine = ring_machine(4, 100);
  machine["links"]["directions"] = 2;
  CHECK(cycles(machine, collective("all_reduce", 4 * part_bytes)) ==
        6 * (part_bytes / (2 * kLinkBytesPerCycle) + 100 + kSeen));
}

TEST_CASE("parts that do not fit on chip go through memory in the same time", "[collectives]") {
  const Count part_bytes = 1U << 20;
  Json machine = ring_machine(4, 100);
  machine["core"]["buffers"]["activation"] = {{"capacity_kib", 1024}};
  const Json report = run(machine, collective("all_reduce", 4 * part_bytes));
  CHECK(report["total"]["cycles"].get<Cycle>() ==
        6 * (part_bytes / kLinkBytesPerCycle + 100 + kSeen));
  // A step reads what it sends and, while it adds, its own part, and writes what it makes.
  CHECK(report["total"]["dram_read_bytes"].get<Bytes>() == (6 + 3) * part_bytes);
  CHECK(report["total"]["dram_write_bytes"].get<Bytes>() == 6 * part_bytes);
}

// With its HBM: the ends (the first piece read, the last one added and written) are not in the formula.
TEST_CASE("the board of four TPU v2 chips has its 180 TFLOPS and its ring's time",
          "[collectives]") {
  RunRequest request;
  request.arch = resolve_preset("tpu_v2_board");
  const Count part_bytes = 8U << 20;
  request.workload = workload_of(
      {{"dtype", "bf16"},
       {"ops", Json::array({{{"op", "all_reduce"}, {"elements", 4 * part_bytes / 2}}})}});
  const Json total = simulate(request).report["total"];
  CHECK_THAT(total["all_chips"]["peak_tflops"].get<double>(),
             Catch::Matchers::WithinRel(183.5, 0.001));
  const double formula_s = 6 * (static_cast<double>(part_bytes) / (2 * 62e9) + 1.85e-6);
  const double launch_s = 0.86e-6, time_s = total["time_s"].get<double>() - launch_s;
  CHECK(time_s >= formula_s);
  CHECK(time_s < 1.01 * formula_s);
  CHECK(total["all_chips"]["link_bytes"].get<Bytes>() == 4 * 6 * part_bytes);
}

TEST_CASE("a collective contends with memory traffic", "[collectives]") {
  const Count part_bytes = 1U << 20;
  const Workload alone = collective("all_reduce", 4 * part_bytes);
  Json machine = ring_machine(4, 100);
  const auto with_dram = [&](double gb_per_s) {
    machine["memory"]["dram"] = {{"kind", "ddr4"}, {"bandwidth_gb_per_s", gb_per_s}};
    return machine;
  };
  const Cycle ring = 6 * (part_bytes / kLinkBytesPerCycle + 100);

  SECTION("a memory slower than the link sets the pace") {
    const double gb_per_s = GENERATE(1.0, 2.0, 4.0);
    const Json report = run(with_dram(gb_per_s), alone);
    // Every part is read once and written once.
    const Bytes bytes = 8 * part_bytes;
    CHECK(report["total"]["dram_read_bytes"].get<Bytes>() +
              report["total"]["dram_write_bytes"].get<Bytes>() ==
          bytes);
    const double cycles = report["total"]["cycles"].get<double>();
    CHECK(cycles >= static_cast<double>(bytes) / gb_per_s);
    CHECK(cycles <= 1.05 * static_cast<double>(bytes) / gb_per_s);
    CHECK(cycles > 1.2 * static_cast<double>(ring));
    CHECK(report["layers"][0]["bound"] == "dram");
  }
  SECTION("so does the traffic of another op") {
    // The next op's weights are fetched ahead while the last parts are still exchanged.
    machine["core"]["matrix_unit"]["rows"] = machine["core"]["matrix_unit"]["cols"] = 1024;
    Json ops = Json::array();
    ops.push_back({{"op", "all_reduce"}, {"name", "x"}, {"elements", 4 * part_bytes}});
    ops.push_back({{"op", "gemm"}, {"name", "y"}, {"m", 4}, {"n", 4096}, {"k", 4096}});
    const Workload both = workload_of({{"dtype", "int8"}, {"ops", ops}});
    const auto time = [&](const Workload& workload) {
      return run(with_dram(32), workload)["layers"][0]["cycles"].get<Cycle>();
    };
    CHECK(time(alone) < ring + ring / 50);
    CHECK(time(both) > ring + ring / 5);
  }
  SECTION("so does more traffic of its own") {
    // With room for what is passed on, 32 GB/s is enough; without, each step writes and fetches it.
    const auto time = [&](const Json& m) { return cycles(m, alone); };
    const Json roomy = with_dram(32);
    CHECK(time(roomy) < ring + ring / 50);
    machine["core"]["buffers"]["activation"] = {{"capacity_kib", 1024}};
    const Cycle bytes_time = (9 + 6) * part_bytes / 32;
    CHECK(time(with_dram(32)) >= bytes_time);
    CHECK(time(with_dram(32)) > ring + ring / 5);
  }
}
