// SPDX-License-Identifier: Apache-2.0
// What a network counted, and the laws that hold among the counts.
#include "arch/memory/interconnect/packet_network.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

void PacketNetwork::register_stats(StatGroup& parent) const {
  StatGroup& group = parent.group(name_);
  group.count("injected", "packets", "sent by all sources", injected_);
  group.count("delivered", "packets", "taken by all destinations", taken_);
  group.count("delivered_bytes", "bytes", "taken by all destinations, with headers", taken_bytes_);
  group.count("byte_hops", "bytes", "bytes times the links they went over behind a router",
              byte_hops_);
  StatGroup& links = group.group("links");
  for (std::size_t i = 0; i < links_.size(); ++i) {
    StatGroup& stats = links.group(link_names_[i]);
    const LinkCounts& counts = link_counts_[i];
    stats.count("packets", "packets", "moved over the link", counts.packets);
    stats.count("bytes", "bytes", "moved over the link", counts.bytes);
    stats.count("busy_cycles", "cycles", "the link was occupied", counts.busy_cycles);
  }
}

void PacketNetwork::check_laws() const {
  Count queued = 0;
  Bytes queued_bytes = 0;
  for (const Lane& lane : lanes_) {
    queued += lane.buffer.queued();
    queued_bytes += lane.buffer.queued_bytes();
    if (lane.buffer.held() > lane.buffer.depth() || lane.buffer.queued() > lane.buffer.held()) {
      fail("a buffer of " + std::to_string(lane.buffer.depth()) + " holds " +
           std::to_string(lane.buffer.held()));
    }
  }
  if (injected_ != taken_ + queued) {
    fail(std::to_string(injected_) + " packets in, " + std::to_string(taken_) + " out, " +
         std::to_string(queued) + " inside");
  }
  if (injected_bytes_ != taken_bytes_ + queued_bytes) {
    fail(std::to_string(injected_bytes_) + " bytes in, " + std::to_string(taken_bytes_) + " out, " +
         std::to_string(queued_bytes) + " inside");
  }
  LinkCounts sources, routers;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Cycle free_from = links_[i].free_from;
    const LinkCounts& c = link_counts_[i];
    LinkCounts& sum = i < first_source_link_ ? routers : sources;
    sum.packets += c.packets;
    sum.bytes += c.bytes;
    if (c.bytes > c.busy_cycles * params_.bytes_per_cycle || c.packets > c.busy_cycles ||
        c.busy_cycles > free_from) {
      fail("link " + link_names_[i] + " moved " + std::to_string(c.packets) + " packets, " +
           std::to_string(c.bytes) + " bytes in " + std::to_string(c.busy_cycles) +
           " cycles until cycle " + std::to_string(free_from));
    }
  }
  if (sources.packets != injected_ || sources.bytes != injected_bytes_) {
    fail("the links of the sources moved something else than was injected");
  }
  if (routers.bytes != byte_hops_) fail("byte hops are not the bytes that routers sent");
}

void PacketNetwork::fail(const std::string& what) const {
  throw SimulationError("interconnect, " + name_ + ": " + what);
}

}  // namespace tilewave
