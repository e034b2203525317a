// SPDX-License-Identifier: Apache-2.0
// The core's memory port against every order of phases that the TLM-2.0 base protocol allows.
// Cycle x starts at x ns.
#include "arch/memory/tlm_memory_port.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "support/catch.hpp"
#include "support/foreign_target.hpp"
#include "support/script.hpp"

#include "arch/memory/tlm_memory_port.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

TLM_DECLARE_EXTENDED_PHASE(phase_of_someone_else);

/// Notes what the port tells it: "ready 11, response 7 at 21".
struct Client final : MemoryClient {
  void on_response(std::uint64_t tag, Cycle visible) override {
    add("response " + std::to_string(tag) + " at " + std::to_string(visible));
  }
  void on_ready(Cycle visible) override { add("ready " + std::to_string(visible)); }
  void add(const std::string& what) { told += (told.empty() ? "" : ", ") + what; }
  std::string told;
};

struct Bench {
  explicit Bench(const Behaviour& behaviour, double ghz = 1.0)
      : script("script", context),
        port("port", ClockDomain(Frequency::from_ghz(ghz)), context),
        target("target", script, behaviour) {
    port.socket.bind(target.socket);
    port.connect(client);
  }
  SimulationContext context;
  Script script;
  TlmMemoryPort port;
  ForeignTarget target;
  Client client;
};

struct Case {
  const char* name;
  Behaviour behaviour;
  bool served;            ///< what send() returns
  std::uint64_t free_ns;  ///< the port takes the next request from here on
  const char* told;
  const char* ends;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"completed", {.status = tlm::TLM_COMPLETED}, true, 0, "", ""},
      {"completed after a delay",
       {.status = tlm::TLM_COMPLETED, .delay_ns = 7},
       false,
       0,
       "response 7 at 8",
       ""},
      {"END_REQ returned, BEGIN_RESP later",
       {.status = tlm::TLM_UPDATED, .phase = tlm::END_REQ, .calls = {{{20, tlm::BEGIN_RESP}}}},
       false,
       0,
       "response 7 at 21",
       "completed"},
      {"END_REQ returned with a delay",
       {.status = tlm::TLM_UPDATED,
        .phase = tlm::END_REQ,
        .delay_ns = 5,
        .calls = {{{20, tlm::BEGIN_RESP, 6}}}},
       false,
       5,
       "ready 6, response 7 at 27",
       "completed"},
      {"BEGIN_RESP returned",
       {.status = tlm::TLM_UPDATED, .phase = tlm::BEGIN_RESP},
       false,
       0,
       "response 7 at 1",
       "END_RESP +0"},
      {"BEGIN_RESP returned with a delay",
       {.status = tlm::TLM_UPDATED, .phase = tlm::BEGIN_RESP, .delay_ns = 4},
       false,
       4,
       "ready 5, response 7 at 5",
       "END_RESP +4"},
      {"END_REQ, then BEGIN_RESP",
       {.calls = {{{10, tlm::END_REQ}, {20, tlm::BEGIN_RESP}}}},
       false,
       10,
       "ready 11, response 7 at 21",
       "completed"},
      {"END_REQ with a delay, then BEGIN_RESP",
       {.calls = {{{10, tlm::END_REQ, 3}, {20, tlm::BEGIN_RESP}}}},
       false,
       13,
       "ready 14, response 7 at 21",
       "completed"},
      {"BEGIN_RESP without END_REQ",
       {.calls = {{{20, tlm::BEGIN_RESP}}}},
       false,
       20,
       "ready 21, response 7 at 21",
       "completed"},
      {"BEGIN_RESP before the request's call returns",
       {.calls = {{{0, tlm::BEGIN_RESP}}}, .within_call = true},
       false,
       0,
       "ready 1, response 7 at 1",
       "completed"},
      {"a phase of someone else's, then as usual",
       {.calls = {{{5, phase_of_someone_else}, {10, tlm::END_REQ}, {20, tlm::BEGIN_RESP}}}},
       false,
       10,
       "ready 11, response 7 at 21",
       "completed"},
      {"a phase of someone else's returned",
       {.status = tlm::TLM_UPDATED,
        .phase = phase_of_someone_else,
        .calls = {{{10, tlm::END_REQ}, {20, tlm::BEGIN_RESP}}}},
       false,
       10,
       "ready 11, response 7 at 21",
       "completed"},
  };
  return all;
}

TEST_CASE("every order of phases ends in one response at the next clock edge", "[memory]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    Bench bench(c.behaviour);
    bench.script.at(ns(0), [&] {
      REQUIRE(bench.port.can_send());
      CHECK(bench.port.send({.address = 4096, .bytes = 64, .tag = 7}) == c.served);
      CHECK(bench.port.can_send() == (c.free_ns == 0));
    });
    if (c.free_ns > 0) {
      bench.script.at({c.free_ns * kNs - 1}, [&] { CHECK_FALSE(bench.port.can_send()); });
    }
    bench.script.at({c.free_ns * kNs + 1}, [&] { CHECK(bench.port.can_send()); });
    bench.context.run();
    CHECK(bench.client.told == c.told);
    CHECK(bench.target.ends == c.ends);
  }
}

TEST_CASE("a response is seen at the first clock edge after it", "[memory]") {
  struct Edge {
    double ghz;
    Femtoseconds response;
    Cycle visible;
  };
  // At 0.7 GHz cycle 7 starts at 10 ns, cycle 8 at 11.428572 ns.
  for (const Edge& e :
       {Edge{1.0, {10 * kNs - 1}, 10}, Edge{1.0, {10 * kNs}, 11}, Edge{1.0, {10 * kNs + 1}, 11},
        Edge{0.7, {10 * kNs - 1}, 7}, Edge{0.7, {10 * kNs}, 8}, Edge{0.7, {11'428'571}, 8},
        Edge{0.7, {11'428'572}, 9}}) {
    INFO(e.ghz << " GHz, " << e.response.value << " fs");
    Bench bench({.status = tlm::TLM_COMPLETED, .delay_ns = 1}, e.ghz);
    bench.script.at({e.response.value - kNs}, [&] { bench.port.send({.bytes = 64, .tag = 0}); });
    bench.context.run();
    CHECK(bench.client.told == "response 0 at " + std::to_string(e.visible));
  }
}

TEST_CASE("a payload says what the request says", "[memory]") {
  Bench bench({.status = tlm::TLM_COMPLETED});
  std::vector<std::string> seen;
  bench.target.on_request = [&](tlm::tlm_generic_payload& p) {
    seen.push_back(std::string(p.is_write() ? "write " : "read ") +
                   std::to_string(p.get_address()) + ' ' + std::to_string(p.get_data_length()));
    CHECK(p.get_streaming_width() == p.get_data_length());
    CHECK(p.get_byte_enable_ptr() == nullptr);
    CHECK_FALSE(p.is_dmi_allowed());
  };
  bench.script.at(ns(1), [&] {
    CHECK(bench.port.send({.address = 1ULL << 40, .bytes = 64, .write = true}));
    CHECK(bench.port.send({.address = 0, .bytes = 1U << 30, .write = false}));
  });
  bench.context.run();
  CHECK(seen == std::vector<std::string>{"write 1099511627776 64", "read 0 1073741824"});
}

TEST_CASE("payloads are recycled when their last user lets go", "[memory]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    Bench bench(c.behaviour);
    for (std::uint64_t i = 0; i < 100; ++i) {
      bench.script.at(ns(50 * i), [&] { bench.port.send({.bytes = 64, .tag = 7}); });
    }
    bench.context.run();
    CHECK(bench.target.payloads.size() == 1);
  }
  // A target that keeps one for itself: it is not given to another request meanwhile.
  Bench bench({.status = tlm::TLM_COMPLETED});
  tlm::tlm_generic_payload* kept = nullptr;
  bench.target.on_request = [&](tlm::tlm_generic_payload& p) {
    if (kept == nullptr) {
      kept = &p;
      p.acquire();
    } else if (kept == &p) {
      FAIL("a payload in use was recycled");
    }
  };
  bench.script.at(ns(0), [&] { bench.port.send({.bytes = 1}); });
  bench.script.at(ns(1), [&] { bench.port.send({.bytes = 2}); });
  bench.script.at(ns(2), [&] {
    kept->release();
    bench.target.on_request = nullptr;
  });
  bench.script.at(ns(3), [&] { bench.port.send({.bytes = 3}); });
  bench.context.run();
  CHECK(bench.target.payloads.size() == 2);
}

TEST_CASE("an error response ends the run", "[memory]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    Behaviour behaviour = c.behaviour;
    behaviour.response = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    Bench bench(behaviour);
    bench.script.at(ns(0), [&] { bench.port.send({.address = 4242, .bytes = 64, .tag = 7}); });
    std::string message;
    try {
      bench.context.run();
    } catch (const SimulationError& e) {
      message = e.what();
    }
    CHECK_THAT(message, contains("TLM_ADDRESS_ERROR_RESPONSE"));
    CHECK_THAT(message, contains("4242"));
    CHECK_THAT(bench.client.told, !contains("response"));
  }
}

}  // namespace
}  // namespace tilewave::test
