// SPDX-License-Identifier: Apache-2.0
// Timing of SimpleMemory as tables: response = max(arrival, end of the previous transfer) + bytes /
// bandwidth + latency.
#include "arch/memory/simple_memory.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/tlm_initiator.hpp"

namespace tilewave::test {
namespace {

constexpr Bandwidth kBytePerNs{1'000'000'000};

std::vector<RequestOutcome> play(const SimpleMemoryParams& params,
                                 const std::vector<TimedRequest>& requests) {
  SimulationContext context;
  StatGroup root("root");
  Script script("script", context);
  SimpleMemory memory("memory", params, context, root);
  TlmInitiator initiator("initiator", context, script, Answer::completed, 0);
  initiator.socket.bind(memory.socket);
  initiator.start(requests);
  context.run();
  CHECK(memory.requests() == requests.size());
  CHECK(memory.responses() == requests.size());
  CHECK(initiator.freed == requests.size());
  return initiator.outcomes;
}

struct Case {
  const char* name;
  SimpleMemoryParams params;
  std::vector<TimedRequest> requests;
  std::vector<std::uint64_t> responses_fs;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    INFO(c.name);
    const auto outcomes = play(c.params, c.requests);
    REQUIRE(outcomes.size() == c.responses_fs.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      INFO("request " << i);
      CHECK(outcomes[i].begin_resp.value == c.responses_fs[i]);
      CHECK(outcomes[i].ok);
    }
  }
}

TEST_CASE("a request alone takes its transfer and the latency", "[memory]") {
  check({
      {"read", {.bandwidth = kBytePerNs, .latency = ns(100)}, {{.bytes = 64}}, {164 * kNs}},
      {"write",
       {.bandwidth = kBytePerNs, .latency = ns(100)},
       {{.bytes = 64, .write = true}},
       {164 * kNs}},
      {"no latency", {.bandwidth = kBytePerNs}, {{.bytes = 64}}, {64 * kNs}},
      {"from its arrival on",
       {.bandwidth = kBytePerNs, .latency = ns(100)},
       {{.bytes = 64, .at_ns = 7}},
       {171 * kNs}},
      {"from its annotated arrival on",
       {.bandwidth = kBytePerNs, .latency = ns(100)},
       {{.bytes = 64, .at_ns = 7, .delay_ns = 30}},
       {201 * kNs}},
      // 64 / 3e9 s = 21.333... ns, rounded up to a femtosecond.
      {"a bandwidth that is no whole number",
       {.bandwidth = {3'000'000'000}},
       {{.bytes = 64}},
       {21'333'334}},
      {"a large one", {.bandwidth = kBytePerNs}, {{.bytes = 1U << 30}}, {(1ULL << 30) * kNs}},
  });
}

TEST_CASE("requests share the channel in order of arrival, latencies overlap", "[memory]") {
  const SimpleMemoryParams half{.bandwidth = kBytePerNs, .latency = ns(100)};
  const SimpleMemoryParams full{.bandwidth = kBytePerNs, .latency = ns(100), .duplex = true};
  check({
      {"back to back",
       half,
       {{.bytes = 64}, {.bytes = 10}, {.bytes = 64}},
       {164 * kNs, 174 * kNs, 238 * kNs}},
      {"with a gap", half, {{.bytes = 64}, {.bytes = 64, .at_ns = 500}}, {164 * kNs, 664 * kNs}},
      {"arriving within the transfer before",
       half,
       {{.bytes = 64}, {.bytes = 64, .at_ns = 63}},
       {164 * kNs, 228 * kNs}},
      {"a write behind a read",
       half,
       {{.bytes = 64}, {.bytes = 64, .write = true}},
       {164 * kNs, 228 * kNs}},
      {"duplex: a write beside a read",
       full,
       {{.bytes = 64}, {.bytes = 64, .write = true}},
       {164 * kNs, 164 * kNs}},
      {"duplex: each way in its own order, a short write overtakes",
       full,
       {{.bytes = 64}, {.bytes = 8, .write = true}, {.bytes = 64}, {.bytes = 8, .write = true}},
       {164 * kNs, 108 * kNs, 228 * kNs, 116 * kNs}},
  });
}

TEST_CASE("a stream of requests gets the bandwidth that the queue allows", "[memory]") {
  // Little: with d places a request of 64 ns and 100 ns latency leaves every max(64, 164 / d) ns.
  constexpr Count kRequests = 1000;
  struct Stream {
    std::size_t depth;
    std::uint64_t last_ns;
  };
  for (const Stream& s : {Stream{64, kRequests * 64 + 100}, Stream{3, kRequests * 64 + 100},
                          Stream{2, kRequests / 2 * 164 + 64}, Stream{1, kRequests * 164}}) {
    INFO("depth " << s.depth);
    const auto outcomes =
        play({.bandwidth = kBytePerNs, .latency = ns(100), .queue_depth = s.depth},
             std::vector<TimedRequest>(kRequests, {.bytes = 64}));
    CHECK(outcomes.back().begin_resp == ns(s.last_ns));
  }
}

TEST_CASE("duplex streams get twice the bandwidth", "[memory]") {
  std::vector<TimedRequest> mixed;
  for (int i = 0; i < 400; ++i) mixed.push_back({.bytes = 64, .write = i % 2 == 1});
  const auto one = play({.bandwidth = kBytePerNs}, mixed);
  const auto two = play({.bandwidth = kBytePerNs, .duplex = true}, mixed);
  CHECK(one.back().begin_resp == ns(400 * 64));
  CHECK(two.back().begin_resp == ns(200 * 64));
}

TEST_CASE("an ideal memory completes at once", "[memory]") {
  const auto outcomes = play({.ideal = true}, {{.bytes = 1U << 30, .at_ns = 3},
                                               {.bytes = 64, .write = true, .at_ns = 3},
                                               {.bytes = 64, .at_ns = 9, .delay_ns = 5}});
  CHECK(outcomes[0].begin_resp == ns(3));
  CHECK(outcomes[1].begin_resp == ns(3));
  CHECK(outcomes[2].begin_resp == ns(14));
  for (const auto& outcome : outcomes) {
    CHECK(outcome.status == tlm::TLM_COMPLETED);
    CHECK(outcome.ok);
  }
}

TEST_CASE("requests and bytes are counted", "[memory]") {
  for (const bool ideal : {false, true}) {
    SimulationContext context;
    StatGroup root("root");
    Script script("script", context);
    SimpleMemory memory("dram", {.ideal = ideal, .bandwidth = kBytePerNs}, context, root);
    TlmInitiator initiator("initiator", context, script, Answer::completed, 0);
    initiator.socket.bind(memory.socket);
    initiator.start({{.bytes = 10}, {.bytes = 20, .write = true}, {.bytes = 300}});
    context.run();
    const auto json = root.to_json()["dram"];
    CHECK(json["requests"]["value"] == 3);
    CHECK(json["responses"]["value"] == 3);
    CHECK(json["read_bytes"]["value"] == 310);
    CHECK(json["write_bytes"]["value"] == 20);
  }
}

}  // namespace
}  // namespace tilewave::test
