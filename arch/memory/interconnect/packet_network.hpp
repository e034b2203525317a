// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/memory/interconnect/lane_arbiter.hpp"
#include "arch/memory/interconnect/network_plan.hpp"
#include "arch/memory/interconnect/packet_buffer.hpp"
#include "sim/statistics.hpp"
#include "sim/units.hpp"

namespace tilewave {

struct PacketNetworkParams {
  Bytes bytes_per_cycle = 1;  ///< width of every link, >= 1
  Cycle hop_latency = 1;      ///< of every link and of its credits, >= 1
  Cycle router_latency = 0;   ///< from the input of a router to the arbitration
  Arbitration arbitration = Arbitration::round_robin;
  std::size_t buffer_packets = 1;  ///< depth of each buffer, >= 1
};

/// What a link moved.
struct LinkCounts {
  Count packets = 0;
  Bytes bytes = 0;
  Cycle busy_cycles = 0;
  [[nodiscard]] double utilization(Cycle cycles) const noexcept {
    return cycles == 0 ? 0.0 : static_cast<double>(busy_cycles) / static_cast<double>(cycles);
  }
};

/// A network for one direction, any plan: routers with buffered inputs, links between them, and a
/// link from each source and to each destination.
///
/// Modelled: virtual cut-through. A packet occupies a link for max(1, ceil(bytes / width)) cycles;
/// its head goes on from the next router while the rest still arrives, and it only leaves for a
/// buffer that has a place for all of it (credits, in packets). An output gives its link to its
/// lanes in turn, and a lane its place to the inputs that ask by Arbitration; whoever asks is
/// served. Each input buffer has one read port and is first in, first out: a packet that waits for
/// its output holds up those behind it (head-of-line blocking). With a queue for each destination it
/// does not, unless that queue is full: then it waits at the source and holds up what comes after it
/// there.
/// Not modelled: flits of several packets interleaved on a link, allocation in several pipeline
/// stages (router_latency stands for all), parts of a link's width left over by a packet put to use.
/// Timing, unloaded, over L links and L - 1 routers, from inject() to arrival():
///   L x hop_latency + (L - 1) x router_latency + cycles - 1
/// To keep a link busy, a buffer needs the round trip's packets:
///   depth >= 1 + (2 x hop_latency + router_latency - 1) / cycles.
///
/// All that a router sees at cycle x was sent at x - 1 or before, so it does not matter in which
/// order the ends are served within a cycle.
class PacketNetwork {
 public:
  /// Names are for statistics and messages: "requests", "client", "server".
  PacketNetwork(std::string name, const std::string& source_name,
                const std::string& destination_name, NetworkPlan plan,
                const PacketNetworkParams& params);
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;

  /// Routers do all they can at cycle `now`.
  void step(Cycle now);
  /// When routers have something to do next, as far as is known; kNever if nothing moves without
  /// inject() or take().
  [[nodiscard]] Cycle next() const noexcept { return next_; }

  /// `now` if the source can send to the destination; else the first cycle to ask again (kNever: not
  /// before a router has moved something).
  [[nodiscard]] Cycle injectable_at(Cycle now, std::size_t source, std::size_t destination);
  /// Requires injectable_at(now, …) == now.
  void inject(Cycle now, std::size_t source, std::size_t destination, Bytes bytes,
              std::uint32_t id);

  /// From when on the next packet can be taken; kNever if none has been sent there.
  [[nodiscard]] Cycle arrival(std::size_t destination) const noexcept {
    return arrivals_[destination];
  }
  [[nodiscard]] const Packet& front(std::size_t destination) const noexcept {
    return lanes_[destination_lane(destination)].buffer.front();
  }
  /// One a cycle and destination. Requires arrival(destination) <= now.
  void take(Cycle now, std::size_t destination);
  /// Offers to each destination what has arrived: accept(destination, packet) says whether it takes
  /// it. Returns when to call again: the next cycle if one did not, else the next arrival.
  template <typename Accept>
  Cycle deliver(Cycle now, Accept&& accept) {
    if (next_arrival_ > now) return next_arrival_;
    bool refused = false;
    for (std::size_t d = 0; d < arrivals_.size(); ++d) {
      if (arrivals_[d] > now) continue;
      if (accept(d, front(d))) {
        take(now, d);
      } else {
        refused = true;
      }
    }
    next_arrival_ = *std::min_element(arrivals_.begin(), arrivals_.end());
    return refused ? now + 1 : next_arrival_;
  }

  /// Packets inside.
  [[nodiscard]] Count in_flight() const noexcept { return injected_ - taken_; }
  /// Bytes times links they went over behind a router (to the destination's node and to the
  /// destination): what the energy of wires is proportional to.
  [[nodiscard]] Count byte_hops() const noexcept { return byte_hops_; }
  [[nodiscard]] std::size_t links() const noexcept { return links_.size(); }
  /// "node0_node1", "client3", "server0".
  [[nodiscard]] const std::string& link_name(std::size_t link) const { return link_names_[link]; }
  [[nodiscard]] const LinkCounts& link_counts(std::size_t link) const { return link_counts_[link]; }

  void register_stats(StatGroup& parent) const;
  /// What came in went out or is inside, in packets and bytes; no link moved more than its width or
  /// was busy longer than time went; no buffer held more than its depth. Throws SimulationError.
  void check_laws() const;

 private:
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};

  struct Lane {
    PacketBuffer buffer;
    std::uint32_t writer = kOutside;  ///< node that sends into it
    std::uint32_t reader = kOutside;  ///< node that takes from it
    std::uint32_t requester = 0;      ///< index among those of the reader
    std::uint32_t channel = 0;        ///< virtual channel
    std::uint32_t queue = 0;          ///< which of a requester's lanes may send into it
    LaneArbiter requests;             ///< of the writer's requesters, to send into it
  };
  struct Link {
    Cycle free_from = 0;
    std::uint32_t first_lane = 0, lanes = 1;
    std::uint32_t next_lane = 0;  ///< whose turn it is
    std::uint32_t requests = 0;   ///< over all its lanes
    bool dateline = false;
  };
  struct Router {
    std::vector<std::uint32_t> requesters;  ///< first lane of each
    std::vector<std::uint32_t> waiting;     ///< lanes whose oldest packet has not asked yet
    std::vector<std::uint32_t> asked;       ///< links that are asked for
  };

  std::uint32_t add_link(std::string name, std::uint32_t from, std::uint32_t to, std::size_t lanes);
  void add_requester(std::uint32_t node, std::uint32_t first_lane, std::size_t lanes);
  [[nodiscard]] std::size_t destination_lane(std::size_t destination) const noexcept {
    return first_destination_lane_ + destination;
  }
  [[nodiscard]] std::uint32_t source_lane(std::size_t source, std::size_t destination) const {
    return links_[first_source_link_ + source].first_lane +
           static_cast<std::uint32_t>(plan_.queue_per_destination ? destination : 0);
  }
  Cycle run_router(Cycle now, std::uint32_t node);
  void ask(std::uint32_t node, std::uint32_t lane_index);
  Cycle grant(Cycle now, Router& router, std::uint32_t link_index);
  Cycle send(Cycle now, Router& router, std::uint32_t link_index, std::uint32_t target);
  void push(Cycle now, std::size_t link_index, std::uint32_t lane_index, const Packet& packet);
  void pop(Cycle now, Lane& lane, Cycle cycles);
  void wake(std::uint32_t node, Cycle at) noexcept;
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  NetworkPlan plan_;
  PacketNetworkParams params_;
  std::vector<Link> links_;  ///< between nodes, to destinations, from sources
  std::vector<std::string> link_names_;
  std::vector<LinkCounts> link_counts_;
  std::vector<Lane> lanes_;
  std::vector<Router> routers_;
  std::vector<Cycle> wake_;      ///< of each router: when to run it again
  Cycle next_ = kNever;          ///< smallest of wake_
  std::vector<Cycle> arrivals_;  ///< at each destination
  Cycle next_arrival_ = kNever;  ///< smallest of arrivals_, or less
  std::size_t first_destination_link_ = 0, first_source_link_ = 0;
  std::size_t first_destination_lane_ = 0;
  Count injected_ = 0, taken_ = 0;
  Bytes injected_bytes_ = 0, taken_bytes_ = 0;
  Count byte_hops_ = 0;
};

}  // namespace tilewave
