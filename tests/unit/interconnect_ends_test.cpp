// SPDX-License-Identifier: Apache-2.0
// The interconnect between its clients' and its servers' links.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/traffic_nodes.hpp"

#include "arch/memory/interconnect/interconnect.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

using Work = std::vector<TestClient::Work>;

/// An interconnect whose ends the test moves by hand.
struct Hand {
  explicit Hand(const InterconnectParams& params = {}, std::size_t depth = 4)
      : clients{{depth, 1}, {depth, 1}}, servers{{depth, 1}, {depth, 1}}, stats("chip") {
    interconnect = std::make_unique<Interconnect>(
        "noc", params, std::vector<MemoryLink*>{&clients[0], &clients[1]},
        std::vector<MemoryLink*>{&servers[0], &servers[1]}, router, stats);
  }
  void step_until(Cycle end) {
    for (; now < end; ++now) interconnect->step(now);
  }
  std::vector<MemoryLink> clients, servers;
  TestRouter router;
  StatGroup stats;
  std::unique_ptr<Interconnect> interconnect;
  Cycle now = 0;
};

TEST_CASE("a request arrives as it was sent, and the response under the client's tag") {
  Hand hand;
  const MemoryRequest sent{.address = test_address(1, 9),
                           .bytes = 48,
                           .write = true,
                           .tag = ~std::uint64_t{0},
                           .hint = CacheHint::streaming};
  hand.clients[0].requests.push(0, sent);
  CHECK_FALSE(hand.interconnect->outstanding());
  hand.step_until(20);
  REQUIRE(hand.servers[1].requests.can_pop(20));
  const MemoryRequest got = hand.servers[1].requests.front();
  hand.servers[1].requests.pop(20);
  CHECK(got.address == sent.address);
  CHECK(got.bytes == sent.bytes);
  CHECK(got.write);
  CHECK(got.hint == CacheHint::streaming);
  CHECK(hand.interconnect->outstanding() == 1);
  CHECK(hand.interconnect->idle());  // it is the server's

  hand.servers[1].responses.push(20, {got.tag, got.bytes, got.write});
  hand.step_until(22);
  CHECK_FALSE(hand.interconnect->idle());
  hand.step_until(40);
  CHECK(hand.interconnect->idle());
  CHECK(hand.interconnect->outstanding() == 0);
  REQUIRE(hand.clients[0].responses.can_pop(40));
  CHECK(hand.clients[0].responses.front().tag == sent.tag);
  CHECK(hand.clients[0].responses.front().bytes == 48);
  CHECK(hand.clients[0].responses.front().write);
  CHECK(hand.clients[1].responses.empty());
  hand.interconnect->check_laws();
}

TEST_CASE("step says when it is to be called again") {
  Hand hand;  // a link 1 cycle, the router 1
  CHECK(hand.interconnect->step(0) == kNever);
  hand.clients[0].requests.push(10, {.address = 0, .bytes = 32});
  CHECK(hand.interconnect->step(10) == 11);  // visible
  CHECK(hand.interconnect->step(10) == 11);  // more often than needed
  CHECK(hand.interconnect->step(11) == 13);  // taken; over the source's link and in the router
  CHECK(hand.interconnect->step(12) == 13);
  CHECK(hand.interconnect->step(13) == 14);  // to the server's end
  CHECK(hand.servers[0].requests.empty());
  CHECK(hand.interconnect->step(14) == kNever);
  CHECK(hand.servers[0].requests.next_visible() == 15);
}

TEST_CASE("a server that takes nothing holds up the client; then all goes on") {
  InterconnectParams params;
  params.input_buffer_packets = 2;
  Hand hand(params, 1);
  std::uint64_t sent = 0;
  const auto offer = [&](Cycle end) {
    for (; hand.now < end; hand.step_until(hand.now + 1)) {
      if (hand.clients[0].requests.can_push(hand.now)) {
        hand.clients[0].requests.push(hand.now, {.address = 0, .bytes = 1, .tag = sent++});
      }
    }
  };
  offer(100);
  CHECK(sent == 1 + 2 + 2 + 1);  // client's link, its input, the server's end, the server's link
  CHECK(hand.interconnect->step(100) == 101);
  hand.interconnect->check_laws();
  for (std::uint64_t i = 0; i < 20; ++i) {
    REQUIRE(hand.servers[0].requests.can_pop(hand.now));
    hand.servers[0].requests.pop(hand.now);
    offer(hand.now + 20);
  }
  CHECK(sent == 20 + 6);
}

TEST_CASE("a client has so many requests outstanding, whatever the others do") {
  InterconnectParams params;
  params.outstanding_per_client = 3;
  Hand hand(params, 8);
  for (std::uint64_t i = 0; i < 8; ++i) {
    hand.clients[0].requests.push(0, {.address = 0, .bytes = 1, .tag = i});
  }
  hand.step_until(50);
  CHECK(hand.interconnect->outstanding() == 3);
  hand.clients[1].requests.push(50, {.address = 0, .bytes = 1, .tag = 7});
  hand.step_until(100);
  CHECK(hand.interconnect->outstanding() == 4);
  const auto first = hand.servers[0].requests.front();
  hand.servers[0].requests.pop(100);
  hand.servers[0].responses.push(100, {first.tag, first.bytes, first.write});
  hand.step_until(150);
  CHECK(hand.clients[0].responses.size() == 1);
  CHECK(hand.interconnect->outstanding() == 4);  // the fourth request has taken the place
  CHECK(hand.clients[0].requests.size() == 4);
}

TEST_CASE("a response to nothing is refused") {
  Hand hand;
  hand.servers[0].responses.push(0, {.tag = 5, .bytes = 32, .write = false});
  hand.interconnect->step(0);
  CHECK_THROWS_AS(hand.interconnect->step(1), SimulationError);
}

TEST_CASE("an address for which there is no server is refused") {
  Hand hand;
  hand.clients[0].requests.push(0, {.address = test_address(2, 0), .bytes = 32});
  CHECK_THROWS_WITH((hand.step_until(2)), contains("routed to server 2 of 2"));
}

TEST_CASE("the address is looked at once a request, however long it waits") {
  InterconnectParams params;
  params.request_bytes_per_cycle = 1;
  Work work;
  for (std::uint64_t i = 0; i < 20; ++i) {
    work.push_back({0, {test_address(0, i), 64, true, i, CacheHint::normal}});
  }
  TrafficSystem system(params, {work, work}, {{}});
  system.run(Stepping::every_cycle);
  CHECK(system.router.asked == 40);
}

TEST_CASE("endpoints that do not fit are a fault of the configuration") {
  InterconnectParams params;
  params.topology = Topology::mesh;
  params.mesh_columns = 1, params.mesh_rows = 1;
  CHECK_THROWS_WITH(Hand(params), contains("noc.mesh_columns: 1 x 1 nodes"));
  params.mesh_rows = 2;
  params.server_nodes = {0, 7};
  CHECK_THROWS_AS(Hand(params), ConfigError);
  params.server_nodes = {1, 0};
  CHECK_NOTHROW(Hand(params));
  params.outstanding_per_client = 0;
  CHECK_THROWS_AS(Hand(params), SimulationError);
}

TEST_CASE("lists place clients and servers on their nodes") {
  InterconnectParams params;
  params.topology = Topology::ring;
  params.ring_nodes = 10;
  params.client_nodes = {2, 9};
  params.server_nodes = {9, 5};
  const auto hops = [&](std::size_t client, std::size_t server) {
    std::vector<Work> work(2);
    work[client] = {{0, {test_address(server, 0), 32, false, 1, CacheHint::normal}}};
    TrafficSystem system(params, work, {{}, {}});
    system.run(Stepping::when_needed);
    return system.interconnect->request_network().byte_hops() / params.header_bytes - 1;
  };
  CHECK(hops(0, 0) == 3);
  CHECK(hops(0, 1) == 3);
  CHECK(hops(1, 0) == 0);
  CHECK(hops(1, 1) == 4);
}

TEST_CASE("statistics mirror both networks") {
  InterconnectParams params;
  params.header_bytes = 4;
  const Work work{{0, {test_address(0, 1), 32, false, 1, CacheHint::normal}},
                  {0, {test_address(1, 2), 64, true, 2, CacheHint::normal}}};
  TrafficSystem system(params, {work}, {{}, {}});
  system.run(Stepping::when_needed);
  system.interconnect->check_laws();
  const auto json = system.stats.to_json()["interconnect"];
  CHECK(json["requests"]["injected"]["value"] == 2);
  CHECK(json["accepted"]["value"] == 2);
  CHECK(json["answered"]["value"] == 2);
  CHECK(json["data_bytes"]["value"] == 96);
  CHECK(json["requests"]["links"]["client0"]["bytes"]["value"] == 4 + 4 + 64);
  CHECK(json["requests"]["links"]["server1"]["busy_cycles"]["value"] == 3);
  CHECK(json["responses"]["links"]["server0"]["bytes"]["value"] == 36);
  CHECK(json["responses"]["links"]["client0"]["packets"]["value"] == 2);
  CHECK(system.interconnect->byte_hops() == 4 + 68 + 36 + 4);
}

}  // namespace
}  // namespace tilewave::test
