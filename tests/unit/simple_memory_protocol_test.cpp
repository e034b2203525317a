// SPDX-License-Identifier: Apache-2.0
// SimpleMemory keeps the TLM-2.0 base protocol with every kind of initiator: back-pressure by
// END_REQ, one response at a time.
#include <memory>
#include <vector>

#include "support/catch.hpp"
#include "support/tlm_initiator.hpp"

#include "arch/memory/simple_memory.hpp"

namespace tilewave::test {
namespace {

TLM_DECLARE_EXTENDED_PHASE(phase_of_someone_else);

struct Bench {
  Bench(const SimpleMemoryParams& params, Answer answer, std::uint64_t answer_ns)
      : script("script", context),
        memory("memory", params, context, root),
        initiator("initiator", context, script, answer, answer_ns) {
    initiator.socket.bind(memory.socket);
  }
  std::vector<RequestOutcome> play(const std::vector<TimedRequest>& requests) {
    initiator.start(requests);
    context.run();
    CHECK(memory.responses() == requests.size());
    CHECK(initiator.freed == requests.size());
    return initiator.outcomes;
  }

  SimulationContext context;
  StatGroup root{"root"};
  Script script;
  SimpleMemory memory;
  TlmInitiator initiator;
};

SimpleMemoryParams params_of(std::size_t depth = 64) {
  return {.bandwidth = {1'000'000'000}, .latency = ns(100), .queue_depth = depth};
}

TEST_CASE("a full queue withholds END_REQ until a place is free", "[memory]") {
  Bench bench(params_of(2), Answer::completed, 0);
  const auto o = bench.play(std::vector<TimedRequest>(4, {.bytes = 64}));
  // Two fit; the third is let in when the first leaves, the fourth when the second does.
  CHECK(o[0].status == tlm::TLM_UPDATED);
  CHECK(o[1].status == tlm::TLM_UPDATED);
  CHECK(o[2].status == tlm::TLM_ACCEPTED);
  CHECK(o[3].status == tlm::TLM_ACCEPTED);
  CHECK(o[2].begin_req == ns(0));
  CHECK(o[2].end_req == ns(164));
  CHECK(o[3].begin_req == ns(164));  // it had to wait for END_REQ
  CHECK(o[3].end_req == ns(228));
  // A place free again at 164: the transfer begins then; the fourth's at 228, after the third's.
  CHECK(o[2].begin_resp == ns(164 + 64 + 100));
  CHECK(o[3].begin_resp == ns(228 + 64 + 100));
}

TEST_CASE("a request held back arrives no earlier than annotated", "[memory]") {
  Bench bench(params_of(1), Answer::completed, 0);
  const auto o = bench.play({{.bytes = 64}, {.bytes = 64, .at_ns = 1, .delay_ns = 299}});
  CHECK(o[1].status == tlm::TLM_ACCEPTED);
  CHECK(o[1].end_req == ns(164));
  CHECK(o[1].begin_resp == ns(300 + 64 + 100));
}

TEST_CASE("the next response waits until the last one has ended", "[memory]") {
  struct Case {
    const char* name;
    Answer answer;
    std::uint64_t answer_ns;
    std::vector<std::uint64_t> responses_ns;
  };
  // Three requests of 64 bytes would respond at 164, 228 and 292 ns.
  for (const Case& c : {
           Case{"completed", Answer::completed, 0, {164, 228, 292}},
           Case{"END_RESP returned", Answer::updated, 0, {164, 228, 292}},
           Case{"END_RESP returned, 30 ns later", Answer::updated, 30, {164, 228, 292}},
           Case{"END_RESP returned, 100 ns later", Answer::updated, 100, {164, 264, 364}},
           Case{"END_RESP at once", Answer::later, 0, {164, 228, 292}},
           Case{"END_RESP 30 ns later", Answer::later, 30, {164, 228, 292}},
           Case{"END_RESP 100 ns later", Answer::later, 100, {164, 264, 364}},
           Case{"END_RESP within the call", Answer::within_call, 0, {164, 228, 292}},
           Case{
               "END_RESP within the call, 100 ns later", Answer::within_call, 100, {164, 264, 364}},
       }) {
    INFO(c.name);
    Bench bench(params_of(), c.answer, c.answer_ns);
    const auto outcomes = bench.play(std::vector<TimedRequest>(3, {.bytes = 64}));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      INFO("request " << i);
      CHECK(outcomes[i].begin_resp == ns(c.responses_ns[i]));
      CHECK(outcomes[i].ok);
    }
  }
}

TEST_CASE("responses of both directions wait for one another", "[memory]") {
  auto params = params_of();
  params.duplex = true;
  Bench bench(params, Answer::later, 50);
  const auto o = bench.play({{.bytes = 64}, {.bytes = 64, .write = true}, {.bytes = 64}});
  CHECK(o[0].begin_resp == ns(164));
  CHECK(o[1].begin_resp == ns(214));  // due at 164, too; of one instant, reads go first
  CHECK(o[2].begin_resp == ns(264));  // due at 228
}

TEST_CASE("a slow initiator and a short queue: nothing is lost, nothing overtakes", "[memory]") {
  for (const Answer answer :
       {Answer::completed, Answer::updated, Answer::later, Answer::within_call}) {
    Bench bench(params_of(3), answer, 70);
    const auto outcomes = bench.play(std::vector<TimedRequest>(200, {.bytes = 64}));
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
      REQUIRE(outcomes[i - 1].begin_resp < outcomes[i].begin_resp);
      REQUIRE(outcomes[i - 1].end_req <= outcomes[i].begin_req);
    }
    // 164 ns for the first, then a response every 64 ns, or every 70 if that is how long one takes.
    const std::uint64_t each = answer == Answer::completed ? 64 : 70;
    CHECK(outcomes.back().begin_resp == ns(164 + 199 * each));
  }
}

TEST_CASE("phases outside the base protocol are ignored", "[memory]") {
  Bench bench(params_of(), Answer::completed, 0);
  tlm::tlm_generic_payload payload;
  bench.script.at(ns(5), [&] {
    tlm::tlm_phase phase = phase_of_someone_else;
    sc_core::sc_time delay = sc_ns(3);
    CHECK(bench.initiator.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
    CHECK(delay == sc_ns(3));
  });
  const auto outcomes = bench.play({{.bytes = 64}});
  CHECK(outcomes[0].begin_resp == ns(164));
  CHECK(bench.memory.requests() == 1);
}

}  // namespace
}  // namespace tilewave::test
