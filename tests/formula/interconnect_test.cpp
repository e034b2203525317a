// SPDX-License-Identifier: Apache-2.0
// Latency and throughput of crossbar, ring and mesh against closed formulas.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/traffic_nodes.hpp"

namespace tilewave::test {
namespace {

std::size_t apart(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

/// A topology with an endpoint of each kind on each node, and its distances.
struct Case {
  std::string name;
  InterconnectParams params;
  std::size_t ends;
  std::function<Cycle(std::size_t, std::size_t)> hops;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  InterconnectParams p;
  all.push_back({"crossbar", p, 5, [](std::size_t, std::size_t) { return 0; }});
  p.virtual_output_queues = true;
  all.push_back({"crossbar with queues", p, 5, [](std::size_t, std::size_t) { return 0; }});
  p = {};
  p.topology = Topology::ring;
  for (const std::size_t n : {2U, 6U, 7U}) {
    all.push_back({"ring of " + std::to_string(n), p, n, [n](std::size_t a, std::size_t b) {
                     return std::min(apart(a, b), n - apart(a, b));
                   }});
  }
  p.topology = Topology::mesh;
  p.mesh_columns = 4, p.mesh_rows = 3;
  all.push_back({"mesh 4 x 3", p, 12, [](std::size_t a, std::size_t b) {
                   return apart(a % 4, b % 4) + apart(a / 4, b / 4);
                 }});
  return all;
}

// Each way: the sender's Pipe (1 cycle), then (R + 1) hop + R router + cycles - 1 over R routers
// into the receiver's Pipe, and 1 cycle until the receiver sees it.
TEST_CASE("unloaded latency: links, routers and the packet's length") {
  struct Timing {
    Cycle hop, router;
    Bytes header, request_width, response_width;
  };
  const Bytes data = 64;
  for (const Case& c : cases()) {
    for (const Timing& t :
         {Timing{1, 0, 0, 64, 64}, Timing{1, 1, 8, 32, 16}, Timing{3, 2, 16, 16, 128}}) {
      for (std::size_t i = 0; i < c.ends * c.ends; ++i) {
        const std::size_t client = i / c.ends, server = i % c.ends;
        const bool write = (client + server) % 2 == 1;
        InterconnectParams p = c.params;
        p.hop_latency_cycles = t.hop, p.router_latency_cycles = t.router;
        p.header_bytes = t.header;
        p.request_bytes_per_cycle = t.request_width, p.response_bytes_per_cycle = t.response_width;
        std::vector<std::vector<TestClient::Work>> work(c.ends);
        work[client] = {{10, {test_address(server, 3), data, write, 42, CacheHint::normal}}};
        TrafficSystem system(p, work, std::vector<TestServer::Params>(c.ends, {.latency = 20}));
        system.run(Stepping::when_needed);

        const Cycle routers = c.hops(client, server) + 1;
        const auto formula = [&](Bytes bytes, Bytes width) {
          const Cycle cycles = std::max<Cycle>(1, ceil_div(bytes, width));
          return 1 + (routers + 1) * t.hop + routers * t.router + cycles - 1 + 1;
        };
        const Cycle there = formula(t.header + (write ? data : 0), t.request_width);
        const Cycle back = formula(t.header + (write ? 0 : data), t.response_width);
        INFO(c.name << ", client " << client << " to server " << server << ", hop " << t.hop);
        REQUIRE(system.servers[server]->taken ==
                std::vector<TestEvent>{{10 + there, test_address(server, 3)}});
        REQUIRE(system.clients[client]->received ==
                std::vector<TestEvent>{{10 + there + 20 + back, 42}});
        // Called at the events, not between them.
        REQUIRE(system.steps <= 2 * routers + 14);
        REQUIRE(system.interconnect->byte_hops() == routers * (2 * t.header + data));
      }
    }
  }
}

/// Sources that always have something to send, and destinations that always take.
class Saturated {
 public:
  using Choose = std::function<std::size_t(std::size_t source, std::uint64_t serial)>;
  Saturated(NetworkPlan plan, const PacketNetworkParams& params, Bytes bytes, Choose choose)
      : sources_(plan.source_nodes.size()),
        network_("requests", "client", "server", std::move(plan), params),
        bytes_(bytes),
        choose_(std::move(choose)),
        serial_(sources_, 0) {}

  /// Packets taken during `cycles` more cycles.
  Count run(Cycle cycles) {
    Count taken = 0;
    for (const Cycle end = now_ + cycles; now_ < end; ++now_) {
      network_.step(now_);
      network_.deliver(now_, [&](std::size_t, const Packet& packet) {
        ++from[packet.id];
        ++taken;
        return true;
      });
      for (std::size_t s = 0; s < sources_; ++s) {
        const std::size_t to = choose_(s, serial_[s]);
        if (to == kNobody || network_.injectable_at(now_, s, to) != now_) continue;
        network_.inject(now_, s, to, bytes_, static_cast<std::uint32_t>(s));
        ++serial_[s];
      }
    }
    network_.check_laws();
    return taken;
  }
  /// Packets per cycle once it runs steadily.
  double rate(Cycle cycles) {
    run(500);
    return static_cast<double>(run(cycles)) / static_cast<double>(cycles);
  }
  static constexpr std::size_t kNobody = ~std::size_t{0};
  std::vector<Count> from = std::vector<Count>(256, 0);  ///< taken, by source

 private:
  std::size_t sources_;
  PacketNetwork network_;
  Bytes bytes_;
  Choose choose_;
  std::vector<std::uint64_t> serial_;
  Cycle now_ = 0;
};

std::vector<std::uint32_t> all_nodes(std::size_t n) {
  std::vector<std::uint32_t> nodes(n);
  for (std::size_t i = 0; i < n; ++i) nodes[i] = static_cast<std::uint32_t>(i);
  return nodes;
}
NetworkPlan ends_on_all(NetworkPlan plan) {
  plan.source_nodes = plan.destination_nodes = all_nodes(plan.nodes);
  return plan;
}
NetworkPlan switch_of(std::size_t sources, std::size_t destinations, bool queues) {
  NetworkPlan plan = crossbar_plan(queues);
  plan.source_nodes.assign(sources, 0);
  plan.destination_nodes.assign(destinations, 0);
  return plan;
}
std::size_t uniform(std::size_t source, std::uint64_t serial, std::size_t destinations) {
  return hash(source * 1'000'003 + serial) % destinations;
}

// A place is taken from the cycle its packet is sent to the one its credit is back:
// 2 hop + router + cycles - 1.
TEST_CASE("a stream runs at the link's rate or at depth / round trip, whichever is less") {
  for (const Cycle hop : {1U, 2U, 5U}) {
    for (const Cycle router : {0U, 1U, 4U}) {
      for (const Cycle cycles : {1U, 2U, 3U}) {
        for (const std::size_t depth : {1U, 2U, 3U, 5U, 8U}) {
          const PacketNetworkParams params{.bytes_per_cycle = 16,
                                           .hop_latency = hop,
                                           .router_latency = router,
                                           .buffer_packets = depth};
          NetworkPlan plan = mesh_plan(3, 1);
          plan.source_nodes = {0}, plan.destination_nodes = {2};
          Saturated stream(plan, params, 16 * cycles, [](auto, auto) { return 0; });
          const double trip = static_cast<double>(2 * hop + router + cycles - 1);
          const double formula =
              std::min(1.0 / static_cast<double>(cycles), static_cast<double>(depth) / trip);
          INFO("hop " << hop << " router " << router << " cycles " << cycles << " depth " << depth);
          // Whole periods of the pattern, but for the one at the edge.
          CHECK_THAT(stream.rate(1000),
                     Catch::Matchers::WithinAbs(formula, 0.001 * static_cast<double>(depth)));
        }
      }
    }
  }
}

// In turn at each of several routers, a share is divided wherever ways join; by age it is not.
TEST_CASE("a server that all ask takes what its link carries, and a fair share from each") {
  for (const Cycle cycles : {1U, 3U}) {
    const PacketNetworkParams params{.bytes_per_cycle = 32, .buffer_packets = 8};
    // The smallest and largest share of a source, the fair one being 1.
    const auto shares = [&](NetworkPlan plan, Arbitration arbitration) {
      const std::size_t sources = plan.source_nodes.size();
      PacketNetworkParams p = params;
      p.arbitration = arbitration;
      Saturated hot(std::move(plan), p, 32 * cycles, [](auto, auto) { return 2; });
      CHECK(hot.rate(6000) * static_cast<double>(cycles) == Approx(1.0).epsilon(0.001));
      hot.from.resize(sources);
      const auto [least, most] = std::minmax_element(hot.from.begin(), hot.from.end());
      const double fair =
          static_cast<double>(std::accumulate(hot.from.begin(), hot.from.end(), Count{0})) /
          static_cast<double>(sources);
      return std::pair(static_cast<double>(*least) / fair, static_cast<double>(*most) / fair);
    };
    for (const bool queues : {false, true}) {
      const auto [least, most] = shares(switch_of(10, 4, queues), Arbitration::round_robin);
      CHECK(least > 0.99);
      CHECK(most < 1.01);
    }
    for (const NetworkPlan& plan : {ends_on_all(mesh_plan(4, 3)), ends_on_all(ring_plan(9))}) {
      const auto turns = shares(plan, Arbitration::round_robin);
      const auto oldest = shares(plan, Arbitration::oldest_first);
      INFO("in turn " << turns.first << " to " << turns.second << ", oldest first " << oldest.first
                      << " to " << oldest.second);
      CHECK(turns.first < 0.3);
      CHECK(oldest.first > 0.45);
      CHECK(oldest.second < 2.0);
    }
  }
}

TEST_CASE("a permutation over a crossbar uses every link fully") {
  for (const bool queues : {false, true}) {
    Saturated shift(switch_of(12, 12, queues), {.buffer_packets = 8}, 1,
                    [](std::size_t s, auto) { return (s + 5) % 12; });
    CHECK(shift.rate(1000) == Approx(12.0).epsilon(0.001));
  }
}

// Karol, Hluchyj, Morgan, "Input versus output queueing on a space-division packet switch", IEEE
// Trans. Comm. 35(12), 1987, table I: with one first-in first-out queue an input, uniform traffic
// saturates at 0.6184 of the links for 8 inputs, 0.586 (2 - sqrt 2) for infinitely many.
TEST_CASE("uniform traffic over a crossbar: head-of-line blocking, and none with queues") {
  Saturated fifo8(switch_of(8, 8, false), {.buffer_packets = 8}, 1,
                  [](std::size_t s, auto k) { return uniform(s, k, 8); });
  CHECK_THAT(fifo8.rate(40'000) / 8, Catch::Matchers::WithinAbs(0.6184, 0.005));
  Saturated fifo64(switch_of(64, 64, false), {.buffer_packets = 8}, 1,
                   [](std::size_t s, auto k) { return uniform(s, k, 64); });
  const double rate64 = fifo64.rate(4000) / 64;
  CHECK(rate64 > 0.575);
  CHECK(rate64 < 0.605);
  Saturated queues(switch_of(16, 16, true), {.buffer_packets = 8}, 1,
                   [](std::size_t s, auto k) { return uniform(s, k, 16); });
  const double rate = queues.rate(5000) / 16;
  CHECK(rate > 0.95);
  CHECK(rate <= 1.0);
}

TEST_CASE("ring: neighbours use every link fully") {
  for (const Cycle cycles : {1U, 2U}) {
    for (const std::size_t step : {1U, 8U}) {  // up, down
      Saturated ring(ends_on_all(ring_plan(9)), {.bytes_per_cycle = 8, .buffer_packets = 8},
                     8 * cycles, [&](std::size_t s, auto) { return (s + step) % 9; });
      CHECK(ring.rate(2000) * static_cast<double>(cycles) == Approx(9.0).epsilon(0.001));
    }
  }
}

// Half of uniform traffic crosses from one half to the other: over 4 links (2 each way).
TEST_CASE("ring: the bisection is the limit") {
  for (const std::size_t n : {8U, 16U, 32U}) {
    const PacketNetworkParams params{.arbitration = Arbitration::oldest_first, .buffer_packets = 8};
    Saturated random(ends_on_all(ring_plan(n)), params, 1,
                     [n](std::size_t s, auto k) { return uniform(s, k, n); });
    const double limit = 4 / 0.5;
    const double rate = random.rate(5000);
    INFO(n << " nodes: " << rate << " of " << limit);
    CHECK(rate <= limit);
    CHECK(rate >= (n == 8 ? 0.55 : 0.75) * limit);  // 8: ends block heads of line, as in a crossbar

    // One half to the other: two links. Each source near an end of the half uses the one near it.
    Saturated halves(ends_on_all(ring_plan(n)), params, 1, [n](std::size_t s, auto) {
      return s < n / 2 ? n - 1 - s : Saturated::kNobody;
    });
    CHECK_THAT(halves.rate(2000), Catch::Matchers::WithinAbs(2.0, 0.002));
  }
}

// Half of uniform traffic crosses the middle: over 2 k links of a mesh of k x k.
TEST_CASE("mesh: the bisection is the limit") {
  for (const std::size_t k : {4U, 6U, 8U}) {
    const PacketNetworkParams params{.arbitration = Arbitration::oldest_first, .buffer_packets = 8};
    const std::size_t n = k * k;
    Saturated random(ends_on_all(mesh_plan(k, k)), params, 1,
                     [n](std::size_t s, auto serial) { return uniform(s, serial, n); });
    const double limit = static_cast<double>(2 * k) / 0.5;
    const double rate = random.rate(3000);
    INFO(k << " x " << k << ": " << rate << " of " << limit);
    CHECK(rate <= limit);
    CHECK(rate >= (k == 4 ? 0.55 : 0.75) * limit);  // 4 x 4: likewise

    // The left half to the right one, each to its mirror image: every link over the middle full.
    Saturated mirror(ends_on_all(mesh_plan(k, k)), params, 1, [k](std::size_t s, auto) {
      return s % k < k / 2 ? s - s % k + (k - 1 - s % k) : Saturated::kNobody;
    });
    CHECK_THAT(mirror.rate(2000),
               Catch::Matchers::WithinAbs(static_cast<double>(k), 0.001 * static_cast<double>(n)));
  }
}

// Little's law: n requests outstanding over a round trip of t cycles.
TEST_CASE("requests of a client in flight bound its rate") {
  for (const std::size_t outstanding : {1U, 4U, 16U, 64U}) {
    InterconnectParams p;
    p.outstanding_per_client = outstanding;
    p.header_bytes = 0;
    const Cycle server_latency = 40;
    std::vector<TestClient::Work> work;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      work.push_back({0, {test_address(0, i), 32, false, i, CacheHint::normal}});
    }
    TrafficSystem system(p, {work}, {{.latency = server_latency, .capacity = 1000}}, {},
                         {.depth = 16, .latency = 1});
    system.run(Stepping::when_needed);
    // From taking a request to giving the response: 3 + 1 cycles there, the server's, 1 + 3 back.
    const Cycle trip = 3 + 1 + server_latency + 1 + 3;
    const double formula =
        std::min(1.0, static_cast<double>(outstanding) / static_cast<double>(trip));
    const auto& received = system.clients[0]->received;
    const double rate = 800.0 / static_cast<double>(received[900].cycle - received[100].cycle);
    CHECK_THAT(rate, Catch::Matchers::WithinRel(formula, 0.02));
  }
}

}  // namespace
}  // namespace tilewave::test
