// SPDX-License-Identifier: Apache-2.0
// Random traffic over all topologies: nothing is lost, doubled, changed or overtaken, whatever the
// order in which units are stepped; nobody starves; nothing blocks for good.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/traffic_nodes.hpp"

#include "arch/memory/interconnect/interconnect_config.hpp"

namespace tilewave::test {
namespace {

constexpr Cycle kLimit = 200'000;

struct Case {
  InterconnectParams params;
  std::vector<std::vector<TestClient::Work>> work;
  std::vector<TestServer::Params> servers;
  std::vector<Stalls> client_stalls;
  TestLinks links;

  [[nodiscard]] TrafficSystem system() const {
    return {params, work, servers, client_stalls, links};
  }
  [[nodiscard]] std::string text() const {
    return to_json(params).dump() + ", " + std::to_string(work.size()) + " clients, " +
           std::to_string(servers.size()) + " servers";
  }
};

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  Case c;
  const std::size_t clients = pick(1, 9), servers = pick(1, 9);
  InterconnectParams& p = c.params;
  p.topology = static_cast<Topology>(seed % 3);
  p.request_bytes_per_cycle = pick(1, 64);
  p.response_bytes_per_cycle = pick(1, 64);
  p.header_bytes = pick(0, 16);
  p.hop_latency_cycles = pick(0, 1) == 0 ? 1 : pick(2, 4);
  p.router_latency_cycles = pick(0, 3);
  p.arbitration = pick(0, 1) == 0 ? Arbitration::round_robin : Arbitration::oldest_first;
  p.input_buffer_packets = pick(1, 4);
  p.outstanding_per_client = pick(1, 20);
  p.virtual_output_queues = pick(0, 1) == 1;
  p.mesh_columns = pick(1, 4);
  p.mesh_rows = ceil_div<std::size_t>(9, p.mesh_columns);
  p.endpoints_per_node = pick(1, 2);
  c.links = {.depth = pick(1, 6), .latency = pick(1, 3)};
  // Busy or idle most of the time, so that both congestion and long gaps occur.
  const Cycle spread = pick(0, 1) == 0 ? 20 : 3000;
  for (std::size_t i = 0; i < clients; ++i) {
    std::vector<TestClient::Work> work;
    for (std::uint64_t k = 0; k < 40; ++k) {
      const std::uint64_t serial = i * 1000 + k;
      work.push_back({pick(0, spread),
                      {.address = test_address(pick(0, servers - 1), serial),
                       .bytes = pick(1, 200),
                       .write = pick(0, 1) == 1,
                       .tag = hash(serial),
                       .hint = CacheHint::normal}});
    }
    std::sort(work.begin(), work.end(), [](auto& a, auto& b) { return a.at < b.at; });
    c.work.push_back(std::move(work));
    c.client_stalls.push_back({static_cast<unsigned>(pick(0, 3) * 25), pick(1, 1000), 0});
  }
  for (std::size_t i = 0; i < servers; ++i) {
    c.servers.push_back(
        {.latency = pick(1, 30),
         .jitter = pick(0, 1) * pick(0, 40),
         .capacity = pick(1, 12),
         .stalls = {static_cast<unsigned>(pick(0, 3) * 25), pick(1, 1000), pick(0, 1) * 100}});
  }
  return c;
}

std::size_t client_of(std::uint64_t address) { return address / kTestServers / 1000; }

void check_served(const Case& c, const TrafficSystem& system) {
  // Each request reached its server once, unchanged; those of a client to a server in order.
  std::map<std::uint64_t, MemoryRequest> sent;
  for (const auto& work : c.work) {
    for (const auto& w : work) sent[w.request.address] = w.request;
  }
  std::size_t reached = 0;
  for (std::size_t s = 0; s < system.servers.size(); ++s) {
    std::map<std::size_t, std::vector<std::uint64_t>> order;
    for (const MemoryRequest& got : system.servers[s]->requests) {
      const auto it = sent.find(got.address);
      REQUIRE(it != sent.end());
      REQUIRE(got.address % kTestServers == s);
      REQUIRE(got.bytes == it->second.bytes);
      REQUIRE(got.write == it->second.write);
      order[client_of(got.address)].push_back(got.address);
      sent.erase(it);
      ++reached;
    }
    for (const auto& [client, addresses] : order) {
      std::vector<std::uint64_t> expected;
      for (const auto& w : c.work[client]) {
        if (w.request.address % kTestServers == s) expected.push_back(w.request.address);
      }
      REQUIRE(addresses == expected);
    }
  }
  REQUIRE(sent.empty());
  REQUIRE(system.router.asked == reached);
  // Each client got one answer a request, under its tag and of its size.
  for (std::size_t i = 0; i < system.clients.size(); ++i) {
    std::map<std::uint64_t, MemoryRequest> asked;
    for (const auto& w : c.work[i]) asked[w.request.tag] = w.request;
    for (const MemoryResponse& got : system.clients[i]->responses) {
      const auto it = asked.find(got.tag);
      REQUIRE(it != asked.end());
      REQUIRE(got.bytes == it->second.bytes);
      REQUIRE(got.write == it->second.write);
      asked.erase(it);
    }
    REQUIRE(asked.empty());
  }
  REQUIRE(system.interconnect->idle());
  REQUIRE(system.interconnect->outstanding() == 0);
}

TEST_CASE("random traffic is served once, in order, and the laws hold at all times") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const Case c = random_case(seed);
    INFO("seed " << seed << ": " << c.text());
    TrafficSystem system = c.system();
    for (Cycle end = 50; !system.idle(); end += 50) {
      REQUIRE(end < kLimit);
      system.run(Stepping::every_cycle, end);
      system.interconnect->check_laws();
    }
    check_served(c, system);
  }
}

TEST_CASE("the order and number of steps change nothing, nor does leaving out those not needed") {
  for (std::uint64_t seed = 1000; seed < 1050; ++seed) {
    const Case c = random_case(seed);
    INFO("seed " << seed << ": " << c.text());
    TrafficSystem plain = c.system(), needed = c.system(), shuffled = c.system();
    const Cycle end = plain.run(Stepping::every_cycle, kLimit);
    REQUIRE(end < kLimit);
    CHECK(needed.run(Stepping::when_needed, kLimit) == end);
    CHECK(shuffled.run(Stepping::shuffled_often, kLimit) == end);
    REQUIRE(needed.events() == plain.events());
    REQUIRE(shuffled.events() == plain.events());
    CHECK(needed.stats.to_json() == plain.stats.to_json());
    CHECK(shuffled.stats.to_json() == plain.stats.to_json());
    CHECK(needed.steps <= plain.steps);
  }
}

TEST_CASE("a full network empties once the servers take requests again") {
  for (const Topology topology : {Topology::crossbar, Topology::ring, Topology::mesh}) {
    for (const std::size_t nodes : {4U, 9U, 12U}) {
      for (const std::size_t depth : {1U, 3U}) {
        InterconnectParams p;
        p.topology = topology;
        p.arbitration = default_arbitration(topology);
        p.input_buffer_packets = depth;
        p.mesh_columns = nodes == 9 ? 3 : 4;
        p.mesh_rows = nodes / p.mesh_columns;
        std::vector<std::vector<TestClient::Work>> work(nodes);
        for (std::size_t i = 0; i < nodes; ++i) {
          for (std::uint64_t k = 0; k < 100; ++k) {
            // As far away as can be, all the same way round, and some anywhere.
            const std::size_t server =
                k % 4 == 3 ? hash(i * 1000 + k) % nodes : (i + (nodes - 1) / 2) % nodes;
            work[i].push_back({0,
                               {.address = test_address(server, i * 1000 + k),
                                .bytes = 64,
                                .write = k % 2 == 0,
                                .tag = k,
                                .hint = CacheHint::normal}});
          }
        }
        const Cycle closed = 1500;
        const TestServer::Params server{.latency = 5, .capacity = 2, .stalls = {.until = closed}};
        TrafficSystem system(p, work, std::vector<TestServer::Params>(nodes, server));
        INFO(to_string(topology) << ", " << nodes << " nodes, buffers of " << depth);
        system.run(Stepping::when_needed, closed);
        CHECK_FALSE(system.interconnect->idle());
        CHECK(system.interconnect->response_network().in_flight() == 0);
        system.interconnect->check_laws();
        CHECK(system.run(Stepping::when_needed, 20'000) < 20'000);
        CHECK(system.idle());
        system.interconnect->check_laws();
      }
    }
  }
}

/// The longest that any of the clients waits between two of its requests at the server all ask.
Cycle longest_wait(const InterconnectParams& params, std::size_t clients, std::size_t hot) {
  std::vector<std::vector<TestClient::Work>> work(clients);
  for (std::size_t i = 0; i < clients; ++i) {
    for (std::uint64_t k = 0; k < 1000; ++k) {
      work[i].push_back({0,
                         {.address = test_address(hot, i * 1000 + k),
                          .bytes = 32,
                          .write = false,
                          .tag = k,
                          .hint = CacheHint::normal}});
    }
  }
  std::vector<TestServer::Params> servers(clients, {.latency = 1, .capacity = 64});
  TrafficSystem system(params, work, servers);
  const Cycle end = 4000;  // before the first client is done
  system.run(Stepping::every_cycle, end);
  std::vector<Cycle> last(clients, 0);
  Cycle longest = 0;
  for (const TestEvent& event : system.servers[hot]->taken) {
    const std::size_t client = client_of(event.name);
    longest = std::max(longest, event.cycle - last[client]);
    last[client] = event.cycle;
  }
  for (std::size_t i = 0; i < clients; ++i) {
    longest = std::max(longest, end - last[i]);
  }
  return longest;
}

TEST_CASE("nobody starves at a server that all ask") {
  InterconnectParams p;
  p.header_bytes = 16;
  p.request_bytes_per_cycle = 8;  // 2 cycles a request
  for (const bool queues : {false, true}) {
    p.virtual_output_queues = queues;
    // In turn: everybody once in a round; the first round starts some cycles late.
    CHECK(longest_wait(p, 12, 3) <= 12 * 2 + 8);
  }
  // Oldest first: a request waits for those sent before it, and no more than fit into the inputs
  // of the n sources and of the n links on the ways to the server.
  const auto fit = [&](Cycle n) { return 2 * n * p.input_buffer_packets; };
  p.arbitration = Arbitration::oldest_first;
  p.topology = Topology::ring;
  CHECK(longest_wait(p, 8, 3) <= 2 * fit(8));
  p.topology = Topology::mesh;
  p.mesh_columns = 3, p.mesh_rows = 3;
  CHECK(longest_wait(p, 9, 4) <= 2 * fit(9));
  CHECK(longest_wait(p, 9, 0) <= 2 * fit(9));
  // In turn at each router: the share is halved (ring) or divided by 4 (mesh) where a way joins
  // another, and at the server's router by the 5 inputs.
  p.arbitration = Arbitration::round_robin;
  CHECK(longest_wait(p, 9, 4) <= 5 * 4 * 2 + 8);
  p.topology = Topology::ring;
  CHECK(longest_wait(p, 8, 3) <= 5 * 2 * 2 * 2 * 2 * 2 + 8);
}

}  // namespace
}  // namespace tilewave::test
