// SPDX-License-Identifier: Apache-2.0
// Each law notices a record, a program or an energy that breaks it, and says which law it is.
#include "app/report/audit.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"

namespace tilewave::test {
namespace {

/// A run with all that the audit looks at, to be tampered with.
struct Recorded {
  Recorded(const Json& machine, const char* workload)
      : request{.arch = resolve(machine), .workload = workload_of(Json::parse(workload))} {
    Diagnostics diagnostics;
    lowered = lower(request.workload, request.arch.chip.target(), "test.json", diagnostics);
    diagnostics.throw_if_errors();
    run = run_on_chip(request.arch.chip, lowered.program, Fidelity::fast);
    energy = energy_of_layers(request, run);
  }
  void check() const {
    audit({.request = request, .lowered = lowered, .run = run, .energy = energy});
  }
  /// The message of the law that is violated, empty if none is.
  std::string verdict() const {
    try {
      check();
    } catch (const SimulationError& e) {
      return e.what();
    }
    return "";
  }
  /// Ends the last layer after `cycles`, its breakdown and the total in step.
  void shorten_last_layer(Cycle cycles) {
    LayerRecord& last = run.layers.back();
    run.cycles -= last.cycles() - cycles;
    last.end_cycle = last.start_cycle + cycles;
    last.breakdown = {};
    last.breakdown.front() = cycles;
  }

  RunRequest request;
  LoweredWorkload lowered;
  ChipRun run;
  std::vector<EnergySplit> energy;
};

constexpr const char* kTwoGemms = R"({ "name": "two", "ops": [
  { "op": "gemm", "name": "first", "m": 20, "n": 9, "k": 17 },
  { "op": "gemm", "name": "second", "m": 20, "n": 12, "k": 9, "epilogue": ["residual"],
    "inputs": ["first", "input"] } ] })";

/// Reads and writes over DRAM: results leave the chip after each op.
Recorded dram_run() {
  return Recorded(with(small_machine(), {"mapping.keep_results=false"}), kTwoGemms);
}

/// Reads of weights over DRAM, the rest over a host link.
Recorded host_run(const char* workload = kTwoGemms) {
  Json machine = with(small_machine(), {"mapping.keep_results=false"});
  machine["memory"]["dram"]["holds"] = "weights";
  machine["memory"]["host"] = {{"type", "pcie"}, {"bandwidth_gb_per_s", 2.0}, {"latency_ns", 50}};
  return Recorded(machine, workload);
}

using Tamper = std::function<void(Recorded&)>;
struct Case {
  const char* law;    ///< what the message must name
  const char* where;  ///< and of which layer or link
  Tamper tamper;
};

void check_cases(const std::function<Recorded()>& make, const std::vector<Case>& cases) {
  const Recorded honest = make();
  REQUIRE(honest.verdict().empty());
  for (const Case& c : cases) {
    INFO(c.law << ", " << c.where);
    Recorded run = honest;
    c.tamper(run);
    const std::string verdict = run.verdict();
    CHECK_THAT(verdict, contains(std::string("law violated: ") + c.law));
    CHECK_THAT(verdict, contains(std::string("(") + c.where + ")"));
  }
}

TEST_CASE("an untouched run passes the audit", "[audit]") {
  CHECK_NOTHROW(dram_run().check());
  CHECK_NOTHROW(host_run().check());
  CHECK_NOTHROW(Recorded(small_machine(), kTwoGemms).check());
  // An op that the machine has no unit for does nothing, and that is no broken law.
  const Recorded skipped(ideal_machine(4, 4, "output_stationary"), R"({ "name": "skip", "ops": [
      { "op": "gemm", "m": 5, "n": 5, "k": 5 },
      { "op": "elementwise", "kind": "relu", "elements": 25 } ] })");
  REQUIRE(skipped.lowered.skipped[1]);
  CHECK_NOTHROW(skipped.check());
}

TEST_CASE("MACs are conserved", "[audit]") {
  check_cases(
      dram_run,
      {{"macs conserved", "first", [](Recorded& r) { ++r.run.layers[0].macs; }},
       {"macs conserved", "second", [](Recorded& r) { --r.run.layers[1].macs; }},
       {"macs conserved: executed and programmed", "second",
        [](Recorded& r) { r.lowered.program.kernels[1] = r.lowered.program.kernels[0]; }},
       {"macs conserved: executed and the op's", "first",
        [](Recorded& r) { ++r.lowered.facts[0].macs; }},
       {"macs conserved: the arrays' own count", "run", [](Recorded& r) { --r.run.array_macs; }}});
}

TEST_CASE("bytes are conserved on every link, each way", "[audit]") {
  check_cases(dram_run, {{"bytes conserved: DRAM reads", "first",
                          [](Recorded& r) { ++r.run.layers[0].dram_read_bytes; }},
                         {"bytes conserved: DRAM writes", "second",
                          [](Recorded& r) { --r.run.layers[1].dram_write_bytes; }},
                         {"bytes conserved: host reads", "first",
                          [](Recorded& r) { ++r.run.layers[0].host_read_bytes; }}});
  check_cases([] { return host_run(); }, {{"bytes conserved: host reads", "second",
                                           [](Recorded& r) { --r.run.layers[1].host_read_bytes; }},
                                          {"bytes conserved: host writes", "first",
                                           [](Recorded& r) { ++r.run.layers[0].host_write_bytes; }},
                                          // The same bytes over the wrong link are wrong too.
                                          {"bytes conserved: DRAM reads", "first", [](Recorded& r) {
                                             for (auto& t : r.lowered.program.kernels[0].tensors) {
                                               t.space = program::Space::host;
                                             }
                                           }}});
}

TEST_CASE("between core, L2 and DRAM nothing is lost", "[audit]") {
  const auto l2_run = [] {
    return Recorded(with_l2(with(small_machine(), {"mapping.keep_results=false"}), 4096),
                    kTwoGemms);
  };
  const auto of_first = [](Count SharedCacheCounts::*count) {
    return [count](Recorded& r) { ++(r.run.layers[0].window_l2.*count); };
  };
  using C = SharedCacheCounts;
  check_cases(
      l2_run,
      {{"L2: hits + sector misses + misses + merges = look-ups", "first", of_first(&C::lookups)},
       {"L2: bytes read = bytes asked for by the DMA", "run", of_first(&C::read_bytes)},
       {"L2: bytes written = bytes given by the DMA", "run", of_first(&C::write_bytes)},
       {"L2: bytes read from DRAM = bytes of fills", "run", of_first(&C::fill_bytes)},
       {"L2: bytes written to DRAM", "run",
        [](Recorded& r) {
          for (LayerRecord& l : r.run.layers) {
            l.window_l2.memory_write_bytes =
                l.window_l2.write_back_bytes + l.window_l2.write_through_bytes + 1;
          }
        }},
       // What counts against the DRAM's bandwidth is what the DRAM moved.
       {"memory bound", "DRAM",
        [](Recorded& r) { r.run.layers[0].window_l2.memory_read_bytes = 1'000'000'000; }}});
}

TEST_CASE("what is off chip moves at least once", "[audit]") {
  const auto more = [](Bytes OpFacts::*bytes) {
    return [bytes](Recorded& r) { r.lowered.facts[1].*bytes += 100'000; };
  };
  const auto more_input = [](std::size_t input) {
    return [input](Recorded& r) { r.lowered.facts[1].inputs[input].bytes += 100'000; };
  };
  for (const bool over_host : {false, true}) {
    check_cases([=] { return over_host ? host_run() : dram_run(); },
                {{"compulsory bytes: reads", "second", more(&OpFacts::weight_bytes)},
                 {"compulsory bytes: reads", "second", more_input(0)},
                 {"compulsory bytes: reads", "second", more_input(1)},
                 {"compulsory bytes: writes", "second", more(&OpFacts::output_bytes)}});
  }
  // A tensor that stays on chip does not count.
  Recorded run = dram_run();
  more_input(0)(run);
  run.lowered.tensors.ops[1].inputs[0].place.space = program::Space::on_chip;
  CHECK(run.verdict().empty());
}

TEST_CASE("no layer is faster than its arrays", "[audit]") {
  // 20 x 12 x 9 MACs on 4 x 4 PEs.
  constexpr Cycle kBound = 20 * 12 * 9 / 16;
  check_cases(dram_run,
              {{"array bound", "second", [](Recorded& r) { r.shorten_last_layer(kBound - 1); }}});
  Recorded run = dram_run();
  run.request.arch.chip.dram.ideal = true;  // else the memory bound stops it as well
  run.shorten_last_layer(kBound);
  CHECK(run.verdict().empty());
  // int16 takes four passes.
  run.request.workload.ops[1].dtype = DataType::int16;
  CHECK_THAT(run.verdict(), contains("array bound"));
}

TEST_CASE("no link is faster than it is, over the run", "[audit]") {
  const auto slow = [](Recorded& r, Bandwidth& b) {
    b.bytes_per_s /= 20;
    for (auto& layer : r.run.layers) layer.window_dram_bytes = layer.window_host_bytes = 0;
  };
  const auto slow_dram = [&](Recorded& r) { slow(r, r.request.arch.chip.dram.bandwidth); };
  const auto slow_host = [&](Recorded& r) { slow(r, r.request.arch.chip.host->bandwidth); };
  check_cases(dram_run, {{"memory bound", "DRAM", slow_dram}});
  check_cases([] { return host_run(); },
              {{"memory bound", "DRAM", slow_dram}, {"memory bound", "host link, in", slow_host}});
  const auto mostly_writes = [] {
    return host_run(R"({ "name": "one", "ops": [ { "op": "gemm", "m": 60, "n": 60, "k": 1 } ] })");
  };
  check_cases(mostly_writes, {{"memory bound", "host link, out", slow_host}});
}

TEST_CASE("no link is faster than it is, in a layer", "[audit]") {
  check_cases([] { return host_run(); },
              {{"memory bound in a layer", "first",
                [](Recorded& r) { r.run.layers[0].window_dram_bytes = 1'000'000; }},
               {"memory bound in a layer", "second",
                [](Recorded& r) { r.run.layers[1].window_host_bytes = 1'000'000; }}});
}

TEST_CASE("no link is faster than it is within a layer", "[audit]") {
  check_cases(dram_run, {{"memory bound in a layer", "second",
                          [](Recorded& r) { r.run.layers[1].window_dram_bytes *= 50; }}});
  check_cases([] { return host_run(); }, {{"memory bound in a layer", "first", [](Recorded& r) {
                                             r.run.layers[0].window_host_bytes *= 50;
                                           }}});
}

TEST_CASE("cycles are conserved", "[audit]") {
  check_cases(
      dram_run,
      {{"cycles conserved: the breakdown sums to the layer", "first",
        [](Recorded& r) { ++r.run.layers[0].breakdown[2]; }},
       {"cycles conserved: the breakdown sums to the layer", "second",
        [](Recorded& r) { ++r.run.layers[1].end_cycle; }},
       {"cycles conserved: layers sum to the total", "run", [](Recorded& r) { ++r.run.cycles; }},
       {"cycles conserved: layers sum to the total", "run", [](Recorded& r) { --r.run.cycles; }}});
}

TEST_CASE("the report's energies add up and its numbers are finite", "[audit]") {
  const Json good = run(small_machine(), gemm_workload(20, 12, 9));
  CHECK_NOTHROW(audit_report(good));
  const auto verdict = [](Json report) -> std::string {
    try {
      audit_report(report);
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "";
  };
  Json report = good;
  report["total"]["energy_j"] = good["total"]["energy_j"].get<double>() * 1.001;
  CHECK_THAT(verdict(report), contains("energy conserved"));
  report = good;
  report["total"]["energy_by_component_j"]["dram"] = 0.0;
  CHECK_THAT(verdict(report), contains("energy conserved (components)"));
  report = good;
  report["layers"][0]["roofline"]["limit_tflops"] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(verdict(report), contains("finite (/layers/0/roofline/limit_tflops)"));
}

TEST_CASE("energies are numbers and not negative", "[audit]") {
  constexpr double EnergySplit::*kParts[] = {
      &EnergySplit::matrix,       &EnergySplit::vector, &EnergySplit::register_file,
      &EnergySplit::l1,           &EnergySplit::l2,     &EnergySplit::dram,
      &EnergySplit::interconnect, &EnergySplit::leakage};
  std::vector<Case> cases;
  for (const auto part : kParts) {
    for (const double value : {-1e-12, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
      cases.push_back({"energy is a number and not negative", "second",
                       [=](Recorded& r) { r.energy[1].*part = value; }});
    }
  }
  check_cases(dram_run, cases);
}

}  // namespace
}  // namespace tilewave::test
