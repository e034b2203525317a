// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arch/memory/interconnect/interconnect_params.hpp"

namespace tilewave {

/// The routers of a network, the links between them and the way from each to each, as plain data: a
/// topology is a function that makes one. Sources and destinations are joined to nodes by links of
/// their own.
struct NetworkPlan {
  struct Link {
    std::uint32_t from = 0, to = 0;  ///< nodes
    bool dateline = false;           ///< what goes over it changes to the next lane
  };
  std::size_t nodes = 1;
  std::size_t lanes = 1;  ///< virtual channels of each link between nodes
  /// Each source has an input buffer for each destination. Requires one node.
  bool queue_per_destination = false;
  std::vector<Link> links;
  /// Index of the link to take: [node x nodes + node to reach]. Unused where both are the same.
  std::vector<std::uint32_t> next_link;
  std::vector<std::uint32_t> source_nodes, destination_nodes;

  [[nodiscard]] std::uint32_t link_towards(std::size_t node, std::size_t target) const {
    return next_link[node * nodes + target];
  }
};

/// One router, to which all sources and destinations are joined.
[[nodiscard]] NetworkPlan crossbar_plan(bool virtual_output_queues);
/// Nodes in a circle with a link to each neighbour. The shorter way; of two ways of equal length
/// even nodes go up (0, 1, 2, …), odd ones down. Free of deadlock by two lanes: whatever passes the
/// dateline, between the last node and node 0, changes from lane 0 to lane 1, and as no way is
/// longer than half the ring, nothing passes it twice; so no lane's buffers wait for each other in a
/// circle.
[[nodiscard]] NetworkPlan ring_plan(std::size_t nodes);
/// A grid with a link to each neighbour. Along the row to the right column, then along the column:
/// nothing turns from a column into a row, so buffers never wait for each other in a circle.
[[nodiscard]] NetworkPlan mesh_plan(std::size_t columns, std::size_t rows);

/// The nodes and links of the topology, without sources and destinations.
[[nodiscard]] NetworkPlan plan_of(const InterconnectParams& params, std::size_t nodes);

}  // namespace tilewave
