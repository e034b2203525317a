// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/interconnect/packet_network.hpp"

#include <algorithm>
#include <utility>

namespace tilewave {

PacketNetwork::PacketNetwork(std::string name, const std::string& source_name,
                             const std::string& destination_name, NetworkPlan plan,
                             const PacketNetworkParams& params)
    : name_(std::move(name)), plan_(std::move(plan)), params_(params) {
  if (params.bytes_per_cycle == 0 || params.hop_latency == 0 || params.buffer_packets == 0) {
    fail("a link's width and latency and a buffer's depth must be at least 1");
  }
  routers_.resize(plan_.nodes);
  wake_.assign(plan_.nodes, kNever);
  for (const NetworkPlan::Link& link : plan_.links) {
    const auto index =
        add_link("node" + std::to_string(link.from) + "_node" + std::to_string(link.to), link.from,
                 link.to, plan_.lanes);
    links_[index].dateline = link.dateline;
  }
  first_destination_link_ = links_.size();
  first_destination_lane_ = lanes_.size();
  for (std::size_t d = 0; d < plan_.destination_nodes.size(); ++d) {
    add_link(destination_name + std::to_string(d), plan_.destination_nodes[d], kOutside, 1);
    lanes_.back().queue = static_cast<std::uint32_t>(plan_.queue_per_destination ? d : 0);
  }
  arrivals_.assign(plan_.destination_nodes.size(), kNever);
  first_source_link_ = links_.size();
  const std::size_t queues = plan_.queue_per_destination ? plan_.destination_nodes.size() : 1;
  for (std::size_t s = 0; s < plan_.source_nodes.size(); ++s) {
    add_link(source_name + std::to_string(s), kOutside, plan_.source_nodes[s], queues);
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const std::uint32_t reader = lanes_[link.first_lane].reader;
    if (reader == kOutside) continue;
    if (i >= first_source_link_) {
      add_requester(reader, link.first_lane, link.lanes);
    } else {
      for (std::uint32_t v = 0; v < link.lanes; ++v) add_requester(reader, link.first_lane + v, 1);
    }
  }
  link_counts_.resize(links_.size());
  std::vector<std::size_t> lanes_read(plan_.nodes, 0), outputs(plan_.nodes, 0);
  for (Lane& lane : lanes_) {
    if (lane.writer != kOutside)
      lane.requests = LaneArbiter(routers_[lane.writer].requesters.size(), params_.arbitration);
    if (lane.reader != kOutside) ++lanes_read[lane.reader];
  }
  for (std::size_t i = 0; i < first_source_link_; ++i)
    ++outputs[lanes_[links_[i].first_lane].writer];
  for (std::size_t node = 0; node < plan_.nodes; ++node) {
    routers_[node].waiting.reserve(lanes_read[node]);
    routers_[node].asked.reserve(outputs[node]);
  }
}

std::uint32_t PacketNetwork::add_link(std::string name, std::uint32_t from, std::uint32_t to,
                                      std::size_t lanes) {
  const auto index = static_cast<std::uint32_t>(links_.size());
  Link link;
  link.first_lane = static_cast<std::uint32_t>(lanes_.size());
  link.lanes = static_cast<std::uint32_t>(lanes);
  links_.push_back(link);
  link_names_.push_back(std::move(name));
  for (std::uint32_t v = 0; v < lanes; ++v) {
    lanes_.push_back({.buffer = PacketBuffer(params_.buffer_packets, params_.hop_latency),
                      .writer = from,
                      .reader = to,
                      .requester = 0,
                      .channel = from == kOutside ? 0 : v,
                      .queue = 0,
                      .requests = LaneArbiter()});
  }
  return index;
}

void PacketNetwork::add_requester(std::uint32_t node, std::uint32_t first_lane, std::size_t lanes) {
  Router& router = routers_[node];
  for (std::size_t i = 0; i < lanes; ++i) {
    lanes_[first_lane + i].requester = static_cast<std::uint32_t>(router.requesters.size());
  }
  router.requesters.push_back(first_lane);
}

void PacketNetwork::step(Cycle now) {
  if (now < next_) return;
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    if (wake_[node] <= now) wake_[node] = run_router(now, static_cast<std::uint32_t>(node));
  }
  next_ = *std::min_element(wake_.begin(), wake_.end());
}

Cycle PacketNetwork::run_router(Cycle now, std::uint32_t node) {
  Router& router = routers_[node];
  Cycle next = kNever;
  for (std::size_t i = 0; i < router.waiting.size();) {
    const std::uint32_t lane = router.waiting[i];
    const Cycle ready = lanes_[lane].buffer.ready_at();
    if (ready > now) {
      next = std::min(next, ready);
      ++i;
    } else {
      ask(node, lane);
      router.waiting[i] = router.waiting.back();
      router.waiting.pop_back();
    }
  }
  for (std::size_t i = 0; i < router.asked.size();) {
    const std::uint32_t index = router.asked[i];
    const Link& link = links_[index];
    next = std::min(next, link.free_from > now ? link.free_from : grant(now, router, index));
    if (link.requests == 0) {
      router.asked[i] = router.asked.back();
      router.asked.pop_back();
    } else {
      ++i;
    }
  }
  return next;
}

/// The oldest packet of the lane asks for the lane it needs next.
void PacketNetwork::ask(std::uint32_t node, std::uint32_t lane_index) {
  const Lane& lane = lanes_[lane_index];
  const Packet& packet = lane.buffer.front();
  const std::uint32_t target_node = plan_.destination_nodes[packet.destination];
  auto link = static_cast<std::uint32_t>(first_destination_link_ + packet.destination);
  std::uint32_t channel = 0;
  if (target_node != node) {
    link = plan_.link_towards(node, target_node);
    channel = lane.channel + (links_[link].dateline ? 1 : 0);
    if (channel >= links_[link].lanes) fail("a packet passes the dateline twice");
  }
  lanes_[links_[link].first_lane + channel].requests.ask(lane.requester, packet.since);
  if (links_[link].requests++ == 0) routers_[node].asked.push_back(link);
}

/// The first lane in turn that is asked for and has a place wins the link. Returns when to look at
/// the link and at what has won again.
Cycle PacketNetwork::grant(Cycle now, Router& router, std::uint32_t link_index) {
  Link& link = links_[link_index];
  Cycle next = kNever;
  for (std::uint32_t i = 0, v = link.next_lane; i < link.lanes; ++i) {
    Lane& target = lanes_[link.first_lane + v];
    const std::uint32_t following = v + 1 == link.lanes ? 0 : v + 1;
    if (target.requests.any()) {
      if (target.buffer.can_push(now)) {
        link.next_lane = following;
        return send(now, router, link_index, link.first_lane + v);
      }
      next = std::min(next, target.buffer.next_credit());
    }
    v = following;
  }
  return next;
}

Cycle PacketNetwork::send(Cycle now, Router& router, std::uint32_t link_index,
                          std::uint32_t target) {
  Link& link = links_[link_index];
  const std::size_t winner = lanes_[target].requests.grant();
  --link.requests;
  const std::uint32_t index = router.requesters[winner] + lanes_[target].queue;
  Lane& lane = lanes_[index];
  const Packet packet = lane.buffer.front();
  pop(now, lane, packet.cycles);
  push(now, link_index, target, packet);
  byte_hops_ += packet.bytes;
  Cycle next = link.requests > 0 ? link.free_from : kNever;
  if (lane.buffer.queued() > 0) {
    router.waiting.push_back(index);
    next = std::min(next, lane.buffer.ready_at());
  }
  return next;
}

/// Over the link into the lane. A router looks at a packet when its head is there, a destination
/// when all of it is.
void PacketNetwork::push(Cycle now, std::size_t link_index, std::uint32_t lane_index,
                         const Packet& packet) {
  if (links_[link_index].free_from > now)
    fail("link " + link_names_[link_index] + " is still occupied");
  links_[link_index].free_from = now + packet.cycles;
  LinkCounts& counts = link_counts_[link_index];
  counts.busy_cycles += packet.cycles;
  counts.bytes += packet.bytes;
  ++counts.packets;
  Lane& lane = lanes_[lane_index];
  const bool arrives = lane.reader == kOutside;
  lane.buffer.push(
      packet, now + params_.hop_latency + (arrives ? packet.cycles - 1 : params_.router_latency));
  if (lane.buffer.queued() > 1) return;  // its reader is busy with an older one
  const Cycle ready = lane.buffer.ready_at();
  if (arrives) {
    arrivals_[packet.destination] = ready;
    next_arrival_ = std::min(next_arrival_, ready);
  } else {
    routers_[lane.reader].waiting.push_back(lane_index);
    wake(lane.reader, ready);
  }
}

void PacketNetwork::pop(Cycle now, Lane& lane, Cycle cycles) {
  const Cycle credit = lane.buffer.pop(now, cycles);
  if (lane.requests.any()) wake(lane.writer, credit);
}

void PacketNetwork::wake(std::uint32_t node, Cycle at) noexcept {
  wake_[node] = std::min(wake_[node], at);
  next_ = std::min(next_, at);
}

Cycle PacketNetwork::injectable_at(Cycle now, std::size_t source, std::size_t destination) {
  const Link& link = links_[first_source_link_ + source];
  if (link.free_from > now) return link.free_from;
  PacketBuffer& buffer = lanes_[source_lane(source, destination)].buffer;
  return buffer.can_push(now) ? now : buffer.next_credit();
}

void PacketNetwork::inject(Cycle now, std::size_t source, std::size_t destination, Bytes bytes,
                           std::uint32_t id) {
  const Packet packet{.bytes = bytes,
                      .cycles = std::max<Cycle>(1, ceil_div(bytes, params_.bytes_per_cycle)),
                      .since = now,
                      .destination = static_cast<std::uint32_t>(destination),
                      .id = id};
  push(now, first_source_link_ + source, source_lane(source, destination), packet);
  ++injected_;
  injected_bytes_ += bytes;
}

void PacketNetwork::take(Cycle now, std::size_t destination) {
  Lane& lane = lanes_[destination_lane(destination)];
  taken_bytes_ += lane.buffer.front().bytes;
  ++taken_;
  pop(now, lane, 1);
  arrivals_[destination] = lane.buffer.ready_at();
}

}  // namespace tilewave
