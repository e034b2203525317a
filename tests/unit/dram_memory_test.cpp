// SPDX-License-Identifier: Apache-2.0
// The DRAM behind its TLM-2.0 socket: times of its responses, back-pressure, the base protocol with
// every kind of initiator. HBM2 at 2.0 Gb/s: a cycle is 1 ns, tRCD 14, tCL 14, a burst 2, tCCDL 4.
#include "arch/memory/dram/dram_memory.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"
#include "support/tlm_initiator.hpp"

namespace tilewave::test {
namespace {

struct Bench {
  Bench(const DramMemory::Options& options, Answer answer, std::uint64_t answer_ns,
        const DramParams& dram = dram_preset("hbm2_2000"))
      : script("script", context),
        memory("memory", dram, options, context, root),
        initiator("initiator", context, script, answer, answer_ns) {
    initiator.socket.bind(memory.socket);
  }
  std::vector<RequestOutcome> play(const std::vector<TimedRequest>& requests) {
    initiator.start(requests);
    context.run();
    memory.check_drained();
    CHECK(initiator.freed == requests.size());
    return initiator.outcomes;
  }

  SimulationContext context;
  StatGroup root{"root"};
  Script script;
  DramMemory memory;
  TlmInitiator initiator;
};

// The initiator's addresses are 0, 1, 2, …: short requests are all in the first burst of 32 bytes.

TEST_CASE("an unloaded read: the next edge, tRCD + tCL + burst, and the path's latency", "[dram]") {
  for (const DramPace pace : {DramPace::run_ahead, DramPace::burst_by_burst, DramPace::lock_step}) {
    Bench bench({.pace = pace, .latency = ns(7)}, Answer::completed, 0);
    const auto o =
        bench.play({{.bytes = 32}, {.bytes = 31, .at_ns = 200}, {.bytes = 62, .at_ns = 400}});
    CHECK(o[0].status == tlm::TLM_UPDATED);
    CHECK(o[0].begin_resp == ns(1 + 14 + 16 + 7));
    CHECK(o[1].begin_resp == ns(201 + 16 + 7));      // the row is open
    CHECK(o[2].begin_resp == ns(401 + 4 + 16 + 7));  // two bursts of one bank, tCCDL apart
  }
}

TEST_CASE("an annotated delay counts", "[dram]") {
  Bench bench({}, Answer::completed, 0);
  const auto o = bench.play({{.bytes = 32, .delay_ns = 50}});
  CHECK(o[0].begin_resp == ns(51 + 14 + 16));
}

TEST_CASE("as many requests as it holds, then END_REQ waits", "[dram]") {
  Bench bench({.requests = 2}, Answer::completed, 0);
  const auto o = bench.play(std::vector<TimedRequest>(4, {.bytes = 28}));
  CHECK(o[1].status == tlm::TLM_UPDATED);
  CHECK(o[2].status == tlm::TLM_ACCEPTED);
  CHECK(o[2].end_req == ns(31));     // when the first has its data
  CHECK(o[2].begin_resp == ns(48));  // it came at 32 and hit
  CHECK(o[3].end_req == ns(35));     // the second, tCCDL later
}

TEST_CASE("one response at a time, in every way the protocol allows", "[dram]") {
  for (const Answer answer :
       {Answer::completed, Answer::updated, Answer::later, Answer::within_call}) {
    Bench bench({.requests = 8}, answer, 70);
    const auto o = bench.play(std::vector<TimedRequest>(50, {.bytes = 32}));
    const std::uint64_t each = answer == Answer::completed ? 4 : 70;  // tCCDL, or the initiator
    for (std::size_t i = 0; i < o.size(); ++i) {
      REQUIRE(o[i].ok);
      if (i > 0) REQUIRE(o[i].begin_resp.value - o[i - 1].begin_resp.value >= ns(each).value);
    }
  }
}

TEST_CASE("reads and writes: every one is answered once, whatever the pace", "[dram]") {
  std::vector<TimedRequest> requests;
  for (std::uint64_t i = 0; i < 300; ++i) {
    requests.push_back({.bytes = 1 + i * 37 % 3000, .write = i % 3 == 0, .at_ns = i * 11});
  }
  std::vector<RequestOutcome> first;
  for (const DramPace pace : {DramPace::run_ahead, DramPace::burst_by_burst, DramPace::lock_step}) {
    Bench bench({.pace = pace, .requests = 16}, Answer::completed, 0);
    const auto o = bench.play(requests);
    if (first.empty()) first = o;
    for (std::size_t i = 0; i < o.size(); ++i) {
      REQUIRE(o[i].ok);
      REQUIRE(o[i].begin_resp == first[i].begin_resp);
    }
  }
}

TEST_CASE("a request of no bytes is refused as the protocol says", "[dram]") {
  Bench bench({}, Answer::completed, 0);
  tlm::tlm_generic_payload payload;
  payload.set_data_length(0);
  bench.script.at(ns(5), [&] {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    CHECK(bench.initiator.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED);
    CHECK(payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  });
  (void)bench.play({});
}

TEST_CASE("the meter gets every byte, never above the peak", "[dram]") {
  const ClockDomain clock(Frequency::from_ghz(1));
  LinkMeter meter(clock);
  Bench bench({.requests = 32}, Answer::completed, 0);
  bench.memory.attach(meter);
  const auto o = bench.play(std::vector<TimedRequest>(64, {.bytes = 4096}));
  Bytes total = 0;
  for (Cycle cycle = 100; total < 64 * 4096; cycle += 100) {
    const Bytes moved = meter.take_until(cycle);
    REQUIRE(moved <= 256 * 100 + 256);  // 256 GB/s; rounding of the window's edges
    total += moved;
    REQUIRE(cycle < 100000);
  }
  CHECK(total == 64 * 4096);
}

}  // namespace
}  // namespace tilewave::test
