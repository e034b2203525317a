// SPDX-License-Identifier: Apache-2.0
// How packets move through one network: cut-through, credits, arbitration, blocking, deadlock.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/interconnect/packet_network.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

NetworkPlan with_ends(NetworkPlan plan, std::vector<std::uint32_t> sources,
                      std::vector<std::uint32_t> destinations) {
  plan.source_nodes = std::move(sources);
  plan.destination_nodes = std::move(destinations);
  return plan;
}

/// A network whose destinations take what they may, and what they took when.
struct Bench {
  Bench(NetworkPlan plan, const PacketNetworkParams& params)
      : network("requests", "client", "server", std::move(plan), params) {}

  struct Taken {
    Cycle cycle;
    std::size_t destination;
    std::uint32_t id;
    friend bool operator==(const Taken&, const Taken&) = default;
  };
  /// Sends as soon as it can.
  void send(std::size_t source, std::size_t destination, Bytes bytes, std::uint32_t id) {
    waiting.push_back({source, destination, bytes, id});
  }
  void run_until(Cycle end) {
    for (; now < end; ++now) {
      network.step(now);
      network.deliver(now, [&](std::size_t destination, const Packet& packet) {
        if (destination == closed) return false;
        taken.push_back({now, destination, packet.id});
        return true;
      });
      for (auto it = waiting.begin(); it != waiting.end();) {
        if (network.injectable_at(now, it->source, it->destination) == now) {
          network.inject(now, it->source, it->destination, it->bytes, it->id);
          it = waiting.erase(it);
        } else {
          ++it;
        }
      }
      network.check_laws();
    }
  }

  struct Waiting {
    std::size_t source, destination;
    Bytes bytes;
    std::uint32_t id;
  };
  PacketNetwork network;
  std::vector<Waiting> waiting;
  std::vector<Taken> taken;
  std::optional<std::size_t> closed;
  Cycle now = 0;
};
using Taken = Bench::Taken;

TEST_CASE("a packet's cycles: width, header only, rest of a width") {
  struct Row {
    Bytes bytes, width;
    Cycle arrival;  // hop 2 in, router 3, hop 2 out: 7
  };
  for (const Row& r : {Row{0, 16, 7}, Row{1, 16, 7}, Row{16, 16, 7}, Row{17, 16, 8},
                       Row{64, 16, 10}, Row{64, 1, 70}}) {
    INFO(r.bytes << " bytes over " << r.width);
    Bench bench(with_ends(crossbar_plan(false), {0}, {0}),
                {.bytes_per_cycle = r.width, .hop_latency = 2, .router_latency = 3});
    bench.send(0, 0, r.bytes, 1);
    bench.run_until(100);
    CHECK(bench.taken == std::vector<Taken>{{r.arrival, 0, 1}});
  }
}

TEST_CASE("a packet goes on while it still arrives: its length counts once") {
  // 4 nodes in a row, 5 links of 1 cycle, 10 cycles long.
  Bench bench(with_ends(mesh_plan(4, 1), {0}, {3}), {.bytes_per_cycle = 1});
  bench.send(0, 0, 10, 1);
  bench.run_until(40);
  CHECK(bench.taken == std::vector<Taken>{{5 + 10 - 1, 0, 1}});
}

TEST_CASE("an output serves those who wait in turn") {
  Bench bench(with_ends(crossbar_plan(false), {0, 0, 0}, {0}),
              {.bytes_per_cycle = 8, .buffer_packets = 4});
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (std::uint32_t source = 0; source < 3; ++source) bench.send(source, 0, 16, 10 * source + i);
  }
  bench.run_until(40);
  // Heads are at the router at cycle 1; a packet each 2 cycles; all of the first is there at 3.
  CHECK(bench.taken ==
        std::vector<Taken>{{3, 0, 0}, {5, 0, 10}, {7, 0, 20}, {9, 0, 1}, {11, 0, 11}, {13, 0, 21}});
}

TEST_CASE("the lanes of a link take turns, and neither its inputs nor the other lane starve") {
  // Up from node 5 over the dateline, so in lane 1, and from node 0, in lane 0: both to node 1, to
  // a destination each.
  NetworkPlan plan = with_ends(ring_plan(6), {5, 0}, {1, 1});
  Bench bench(std::move(plan), {.buffer_packets = 4});
  for (std::uint32_t i = 0; i < 300; ++i) {
    bench.send(0, 0, 1, i);
    bench.send(1, 1, 1, i);
  }
  bench.run_until(210);
  const auto passed = [&](std::size_t destination) {
    return std::count_if(bench.taken.begin(), bench.taken.end(),
                         [&](const Taken& t) { return t.destination == destination; });
  };
  CHECK(passed(0) + passed(1) >= 200);
  CHECK(std::abs(passed(0) - passed(1)) <= 4);
}

TEST_CASE("an end gives one packet a cycle, and its place comes back a cycle later") {
  Bench bench(with_ends(crossbar_plan(false), {0}, {0}), {.buffer_packets = 2});
  bench.closed = 0;
  for (std::uint32_t i = 0; i < 4; ++i) bench.send(0, 0, 1, i);
  bench.run_until(20);
  const auto take_all = [&](Cycle now) {
    std::size_t taken = 0;
    for (int again = 0; again < 3; ++again) {
      bench.network.step(now);
      bench.network.deliver(now, [&](std::size_t, const Packet&) { return ++taken > 0; });
    }
    return taken;
  };
  CHECK(bench.network.in_flight() == 4);
  CHECK(take_all(20) == 1);
  CHECK(bench.network.next() == 21);
  CHECK(take_all(21) == 1);
  CHECK(take_all(22) == 1);  // sent at 21, here at 22
  CHECK(take_all(23) == 1);
  CHECK(bench.network.in_flight() == 0);
}

TEST_CASE("first in first out: a packet that waits holds up those behind it") {
  for (const bool queues : {false, true}) {
    INFO("virtual output queues: " << queues);
    Bench bench(with_ends(crossbar_plan(queues), {0}, {0, 0}), {.buffer_packets = 2});
    bench.closed = 0;
    for (std::uint32_t i = 0; i < 4; ++i) bench.send(0, 0, 1, i);
    bench.run_until(20);  // two at the closed destination, two in the input buffer
    CHECK(bench.network.in_flight() == 4);
    bench.send(0, 1, 1, 9);
    bench.run_until(40);
    CHECK(bench.taken.size() == (queues ? 1 : 0));
    bench.closed.reset();
    bench.run_until(60);
    CHECK(bench.taken.size() == 5);
  }
}

TEST_CASE("back-pressure reaches the source, one buffer after the other") {
  // Nodes 0 - 1 - 2: buffers of the source, two links and the destination hold 3 each.
  Bench bench(with_ends(mesh_plan(3, 1), {0}, {2}), {.buffer_packets = 3});
  bench.closed = 0;
  for (std::uint32_t i = 0; i < 20; ++i) bench.send(0, 0, 1, i);
  bench.run_until(100);
  CHECK(bench.network.in_flight() == 4 * 3);
  CHECK(bench.waiting.size() == 8);
  CHECK(bench.network.injectable_at(100, 0, 0) == kNever);  // until a router moves something
  CHECK(bench.network.next() == kNever);
  bench.closed.reset();
  bench.run_until(200);
  CHECK(bench.taken.size() == 20);
  for (std::uint32_t i = 0; i < 20; ++i) CHECK(bench.taken[i].id == i);
}

TEST_CASE("a circle of full buffers blocks for good, two lanes and a dateline do not") {
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  for (const bool dateline : {false, true}) {
    INFO("dateline: " << dateline);
    NetworkPlan plan = ring_plan(8);
    if (!dateline) {
      plan.lanes = 1;
      for (auto& link : plan.links) link.dateline = false;
    }
    Bench bench(with_ends(std::move(plan), all, all), {});
    for (std::uint32_t i = 0; i < 80; ++i) bench.send(i % 8, (i + 3) % 8, 1, i);
    bench.run_until(2000);
    CHECK(bench.taken.size() == (dateline ? 80 : 0));
    CHECK(bench.network.in_flight() == (dateline ? 0 : 16));
  }
}

TEST_CASE("a link is not sent over while it is occupied, nor a buffer over its depth") {
  PacketNetwork network("requests", "client", "server", with_ends(crossbar_plan(false), {0}, {0}),
                        {.bytes_per_cycle = 4});
  network.inject(0, 0, 0, 9, 1);
  CHECK(network.injectable_at(1, 0, 0) == 3);
  CHECK_THROWS_WITH(network.inject(1, 0, 0, 9, 2), contains("client0 is still occupied"));
  PacketNetwork other("requests", "client", "server", with_ends(crossbar_plan(false), {0}, {0}),
                      {});
  other.inject(0, 0, 0, 1, 1);
  CHECK(other.injectable_at(1, 0, 0) == kNever);
  CHECK_THROWS_WITH(other.inject(1, 0, 0, 1, 2), contains("overflows"));
}

TEST_CASE("a link without width, latency or a place behind it is refused") {
  const auto make = [](const PacketNetworkParams& params) {
    PacketNetwork("requests", "client", "server", with_ends(crossbar_plan(false), {0}, {0}),
                  params);
  };
  CHECK_THROWS_AS(make({.bytes_per_cycle = 0}), SimulationError);
  CHECK_THROWS_AS(make({.hop_latency = 0}), SimulationError);
  CHECK_THROWS_AS(make({.buffer_packets = 0}), SimulationError);
  CHECK_NOTHROW(make({}));
}

TEST_CASE("each link counts what it moved") {
  Bench bench(with_ends(mesh_plan(2, 1), {0}, {0, 1}), {.bytes_per_cycle = 8});
  bench.send(0, 1, 20, 1);  // 3 cycles, over node 1
  bench.send(0, 0, 8, 2);   // 1 cycle, at node 0
  bench.run_until(50);
  StatGroup stats("chip");
  bench.network.register_stats(stats);
  const auto json = stats.to_json()["requests"];
  CHECK(json["injected"]["value"] == 2);
  CHECK(json["delivered_bytes"]["value"] == 28);
  CHECK(json["byte_hops"]["value"] == 20 * 2 + 8);
  struct Row {
    const char* link;
    Count packets, bytes, busy;
  };
  for (const Row& r :
       {Row{"client0", 2, 28, 4}, Row{"node0_node1", 1, 20, 3}, Row{"node1_node0", 0, 0, 0},
        Row{"server0", 1, 8, 1}, Row{"server1", 1, 20, 3}}) {
    INFO(r.link);
    const auto link = json["links"][r.link];
    CHECK(link["packets"]["value"] == r.packets);
    CHECK(link["bytes"]["value"] == r.bytes);
    CHECK(link["busy_cycles"]["value"] == r.busy);
  }
  for (std::size_t i = 0; i < bench.network.links(); ++i) {
    if (bench.network.link_name(i) != "client0") continue;
    CHECK(bench.network.link_counts(i).utilization(16) == Approx(0.25));
    CHECK(bench.network.link_counts(i).utilization(0) == 0.0);
  }
}

}  // namespace
}  // namespace tilewave::test
