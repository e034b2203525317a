// SPDX-License-Identifier: Apache-2.0
// Machines with an L2: what it saves, what it costs, and that its report adds up.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

#include "arch/chip/systolic_chip.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

Count at(const Json& json, const char* path) {
  return json.at(nlohmann::ordered_json::json_pointer(path)).get<Count>();
}

Bytes dram_bytes_of(const Json& report) {
  return at(report, "/total/dram_read_bytes") + at(report, "/total/dram_write_bytes");
}

/// Weights do not fit on chip and are fetched again for each tile of rows.
Json rereading_machine() {
  return with(
      small_machine(),
      {"core.buffers.weight.capacity_bytes=64", "core.buffers.accumulator.capacity_bytes=512",
       "core.buffers.activation.capacity_bytes=2048", "memory.dram.bandwidth_gb_per_s=1"});
}
Workload rereading_workload() { return gemm_workload(256, 4, 512); }

constexpr Bytes kTensorBytes = 256;

/// Reads some tensors one after the other, and all again, so many times.
program::Program rereading_program(Count tensors, Count passes) {
  program::Kernel kernel;
  kernel.name = "read again";
  kernel.slots.push_back({"stage", "activation", 4, kTensorBytes, 1});
  for (Count t = 0; t < tensors; ++t) {
    kernel.tensors.push_back(
        {"T" + std::to_string(t), program::Space::dram, t * kTensorBytes, kTensorBytes});
  }
  for (Count pass = 0; pass < passes; ++pass) {
    for (Count t = 0; t < tensors; ++t) {
      program::Instruction load;
      load.label = "read";
      load.unit = program::UnitKind::load;
      load.queue = 1;
      load.region.tensor = static_cast<int>(t);
      load.region.shape = program::StridedRows{{}, Span::whole(kTensorBytes)};
      program::SlotUse use;
      use.acquire = use.release = program::Condition::always();
      use.produce = true;
      load.slots.push_back(use);
      kernel.body.emplace_back(load);
    }
  }
  return {.kernels = {kernel}};
}

/// Random machines in front of an L2 of random shape.
Json random_l2_machine(RandomCases& cases) {
  Json machine = with_l2(cases.machine(), cases.one_of<Bytes>({512, 4096, 65536}));
  auto& l2 = machine["l2"];
  l2["slices"] = cases.one_of<Count>({1, 2});
  l2["sector_bytes"] = cases.one_of<Count>({16, 32, 64});
  l2["mshrs"] = cases.pick(1, 12);
  l2["mshr_merges"] = cases.pick(0, 3);
  l2["hit_under_miss"] = cases.pick(0, 1) == 1;
  l2["write_policy"] = cases.one_of<const char*>({"write_back", "write_back", "write_through"});
  l2["write_allocation"] = cases.one_of<const char*>({"allocate", "no_allocate"});
  l2["replacement"] = cases.one_of<const char*>({"lru", "tree_plru", "random"});
  if (cases.pick(0, 1) == 1) {
    machine["interconnect"] = {{"topology", cases.one_of<const char*>({"crossbar", "ring"})},
                               {"request_bytes_per_cycle", cases.one_of<Count>({4, 32})},
                               {"response_bytes_per_cycle", cases.one_of<Count>({4, 32})},
                               {"outstanding_per_client", cases.pick(1, 64)},
                               {"wire_length_mm", 2.0}};
  }
  return machine;
}

}  // namespace

TEST_CASE("what is read again comes from the L2 if it fits", "[l2]") {
  constexpr Count kTensors = 32, kPasses = 4;
  constexpr Bytes kOnce = kTensors * kTensorBytes, kAll = kPasses * kOnce;
  const Json machine = with(small_machine(), {"memory.dram.bandwidth_gb_per_s=1"});
  const auto program = rereading_program(kTensors, kPasses);
  const auto run_with = [&](const Json& m) {
    return run_on_chip(resolve(m).chip, program, Fidelity::fast);
  };
  const ChipRun without = run_with(machine);
  const ChipRun big = run_with(with_l2(machine, 4 * kOnce));
  const ChipRun small = run_with(with_l2(machine, kOnce / 4));
  const auto& in_big = big.layers[0].window_l2;
  const auto& in_small = small.layers[0].window_l2;

  // The core asks for the same in all three.
  for (const ChipRun* each : {&without, &big, &small}) {
    CHECK(each->layers[0].dram_read_bytes == kAll);
  }
  CHECK(in_big.read_bytes == kAll);
  CHECK(in_small.read_bytes == kAll);
  CHECK(in_big.memory_read_bytes == kOnce);
  // Of a cycle that does not fit, LRU throws out each line just before it is needed again.
  CHECK(in_small.memory_read_bytes == kAll);
  CHECK(in_small.outcome(CacheOutcome::miss) == kAll / 64);
  // A miss a line; in later passes every look-up hits.
  CHECK(in_big.outcome(CacheOutcome::miss) == kOnce / 64);
  CHECK(in_big.outcome(CacheOutcome::hit) >= (kPasses - 1) * kOnce / 64);
  // The DRAM takes a nanosecond a byte: it alone is what the others wait for.
  CHECK(without.cycles >= kAll);
  CHECK(small.cycles >= kAll);
  CHECK(big.cycles < kOnce + kAll / 2);
}

TEST_CASE("what hits in the L2 is not slower than the DRAM would be", "[l2]") {
  for (const char* latency : {"0", "50", "500"}) {
    for (const char* bandwidth : {"0.5", "4", "32"}) {
      INFO(latency << " ns, " << bandwidth << " GB/s");
      Json machine =
          with(small_machine(), {std::string("memory.dram.latency_ns=") + latency,
                                 std::string("memory.dram.bandwidth_gb_per_s=") + bandwidth});
      // An L2 costs its latency each way, here 24 cycles: only a DRAM that is faster than that is
      // faster.
      if (std::string(latency) == "0" && std::string(bandwidth) != "0.5") continue;
      const auto program = rereading_program(16, 16);
      const Cycle without = run_on_chip(resolve(machine).chip, program, Fidelity::fast).cycles;
      const Cycle with_it =
          run_on_chip(resolve(with_l2(machine, 65536)).chip, program, Fidelity::fast).cycles;
      CHECK(with_it <= without);
    }
  }
}

TEST_CASE("more L2 moves no more DRAM bytes where LRU streams are read again", "[l2]") {
  Bytes before = Bytes{1} << 40;
  for (const Bytes capacity : {512U, 1024U, 2048U, 8192U, 32768U, 131072U, 524288U}) {
    // One set: with it, LRU keeps all that a smaller one would keep.
    Json machine = with_l2(rereading_machine(), capacity);
    machine["l2"]["slices"] = 1;
    machine["l2"]["ways"] = std::min<Bytes>(capacity / 64, 4096);
    const Bytes now = dram_bytes_of(run(machine, rereading_workload()));
    INFO("capacity " << capacity);
    // LRU of one set keeps what a smaller one keeps for the same sequence of requests. But here the
    // sequence follows from the times: the engines' requests meet in another order if some come back
    // sooner, and then not quite the same lines are the oldest. That is inherent to a closed loop, so
    // a few lines more are allowed: 2 %.
    CHECK(now <= before + before / 50);
    before = std::min(before, now);
  }
}

TEST_CASE("reports of machines with an L2 add up", "[l2]") {
  int simulated = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    RandomCases cases(seed);
    const Json machine = random_l2_machine(cases);
    const Workload workload = cases.workload();
    INFO("seed " << seed);
    Json report;
    try {
      report = run(machine, workload);
    } catch (const ConfigError&) {
      continue;  // a random machine may be too small for the workload
    }
    ++simulated;
    Count read = 0, written = 0, l2_read = 0, fills = 0, back = 0;
    for (const Json& layer : report["layers"]) {
      const Json& t = layer["traffic"];
      const Json& l2 = t["l2"];
      REQUIRE(at(l2, "/hits") + at(l2, "/sector_misses") + at(l2, "/misses") + at(l2, "/merges") ==
              at(l2, "/lookups"));
      REQUIRE(l2["utilization"].get<double>() <= 1 + 1e-9);
      REQUIRE(t["interconnect"]["busiest_link_utilization"].get<double>() <= 1 + 1e-9);
      read += at(t, "/dram/read_bytes"), written += at(t, "/dram/write_bytes");
      l2_read += at(l2, "/read_bytes");
      fills += at(l2, "/fill_bytes");
      back += at(l2, "/write_back_bytes") + at(l2, "/write_through_bytes");
    }
    REQUIRE(at(report, "/total/dram_read_bytes") == read);
    REQUIRE(at(report, "/total/dram_write_bytes") == written);
    REQUIRE(at(report, "/total/l2_read_bytes") == l2_read);
    REQUIRE(read == fills);
    REQUIRE(written <= back);
    // What the DRAM says itself; it may write on when the last layer is complete.
    const Json& dram = report["statistics"]["dram"];
    REQUIRE(at(dram, "/read_bytes/value") == read);
    REQUIRE(at(dram, "/write_bytes/value") >= written);
    // The machine in the report is the machine.
    REQUIRE(comparable(run(report["arch"], workload)) == comparable(report));
  }
  CHECK(simulated > 120);
}

TEST_CASE("fast and detailed agree on machines with an L2", "[l2]") {
  int simulated = 0;
  for (std::uint64_t seed = 1000; seed < 1080; ++seed) {
    RandomCases cases(seed);
    const Json machine = random_l2_machine(cases);
    const Workload workload = cases.workload();
    INFO("seed " << seed);
    Json fast;
    try {
      fast = comparable(run(machine, workload, Fidelity::fast));
    } catch (const ConfigError&) {
      continue;
    }
    ++simulated;
    Json detailed = comparable(run(machine, workload, Fidelity::detailed));
    fast.erase("fidelity"), detailed.erase("fidelity");
    REQUIRE(fast == detailed);
  }
  CHECK(simulated > 60);
}

TEST_CASE("what the L2 does has its energy", "[l2]") {
  const Json machine = with_l2(rereading_machine(), 65536);
  const auto energy = [&](const std::vector<std::string>& sets, const char* component) {
    return run(with(machine, sets),
               rereading_workload())["total"]["energy_by_component_j"][component]
        .get<double>();
  };
  CHECK(energy({}, "l2") > 0);
  // Smaller banks cost less an access, longer wires more a byte; a larger L2 leaks more.
  CHECK(energy({"l2.banks=4", "l2.bank_bytes_per_cycle=8"}, "l2") < energy({}, "l2"));
  const std::string crossbar =
      R"(interconnect={"topology": "crossbar", "request_bytes_per_cycle": 64,
                       "response_bytes_per_cycle": 64, "wire_length_mm": )";
  CHECK(energy({crossbar + "0}"}, "interconnect") == 0);
  const double once = energy({crossbar + "1}"}, "interconnect");
  CHECK(once > 0);
  CHECK_THAT(energy({crossbar + "2}"}, "interconnect"), Catch::Matchers::WithinRel(2 * once, 1e-9));
  const Json none = run(rereading_machine(), rereading_workload());
  CHECK(none["total"]["energy_by_component_j"]["l2"] == 0.0);
  CHECK_FALSE(none["layers"][0]["traffic"].contains("l2"));
}

TEST_CASE("the timeline shows what goes through an L2") {
  const Json report = run(with_l2(small_machine(), 2048), gemm_workload(40, 30, 50));
  const Json& timeline = report["timeline"];
  const double cycles = timeline["bin_cycles"].get<double>();
  const double end = report["total"]["cycles"].get<double>();
  double bytes = 0, begin = 0;
  for (const Json& gb_per_s : timeline["l2_gb_per_s"]) {
    const double width = std::min(cycles, end - begin);
    bytes += gb_per_s.get<double>() * width;  // 1 GHz: bytes a cycle
    begin += width;
  }
  const Json& total = report["total"];
  CHECK(bytes ==
        Approx(total["l2_read_bytes"].get<double>() + total["l2_write_bytes"].get<double>()));
  CHECK_FALSE(run(small_machine(), gemm_workload(40, 30, 50))["timeline"].contains("l2_gb_per_s"));
}

TEST_CASE("what lies between L2 and core can be what limits a layer", "[l2]") {
  // The second op finds all in the L2, and gets it over a link of one byte a cycle.
  Json machine = with_l2(rereading_machine(), 262144);
  machine["interconnect"] = {
      {"topology", "crossbar"}, {"request_bytes_per_cycle", 8}, {"response_bytes_per_cycle", 1}};
  const Json report =
      run(with(machine, {"memory.dram.bandwidth_gb_per_s=100"}), rereading_workload());
  CHECK(report["layers"][0]["bound"] == "l2");
  CHECK(report["layers"][0]["traffic"]["interconnect"]["busiest_link_utilization"] > 0.5);
}
