// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/interconnect/interconnect_params.hpp"

#include <algorithm>

namespace tilewave {

namespace {

std::string text(std::size_t value) { return std::to_string(value); }

/// The fault of a list of nodes, if it has one.
void check_list(const char* key, const std::vector<Count>& list, std::size_t endpoints,
                std::size_t nodes, std::size_t per_node, std::vector<InterconnectFault>& faults) {
  if (list.empty()) return;
  if (list.size() != endpoints) {
    faults.push_back(
        {key, "must name a node for each of " + text(endpoints) + ", names " + text(list.size())});
    return;
  }
  std::vector<std::size_t> used(nodes, 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string entry = "entry " + text(i) + " names node " + text(list[i]) + ": ";
    if (list[i] >= nodes) {
      faults.push_back({key, entry + "there are " + text(nodes) + ", the first is 0"});
    } else if (++used[list[i]] == per_node + 1) {
      faults.push_back(
          {key, entry + "it has no more room (endpoints_per_node is " + text(per_node) + ")"});
    }
  }
}

}  // namespace

std::string_view to_string(Topology topology) {
  switch (topology) {
    case Topology::crossbar:
      return "crossbar";
    case Topology::ring:
      return "ring";
    case Topology::mesh:
      return "mesh";
  }
  return "unknown";
}

std::string_view to_string(Arbitration arbitration) {
  return arbitration == Arbitration::round_robin ? "round_robin" : "oldest_first";
}

Arbitration default_arbitration(Topology topology) {
  return topology == Topology::crossbar ? Arbitration::round_robin : Arbitration::oldest_first;
}

std::size_t node_count(const InterconnectParams& params, std::size_t clients, std::size_t servers) {
  switch (params.topology) {
    case Topology::ring:
      if (params.ring_nodes != 0) return params.ring_nodes;
      return ceil_div(std::max(clients, servers), params.endpoints_per_node);
    case Topology::mesh:
      return params.mesh_columns * params.mesh_rows;
    case Topology::crossbar:
      break;
  }
  return 1;
}

std::vector<InterconnectFault> endpoint_faults(const InterconnectParams& params,
                                               std::size_t clients, std::size_t servers) {
  std::vector<InterconnectFault> faults;
  if (clients == 0 || servers == 0) {
    faults.push_back({"", "needs at least one client and one server, has " + text(clients) +
                              " and " + text(servers)});
    return faults;
  }
  if (params.topology == Topology::crossbar) return faults;
  const std::size_t nodes = node_count(params, clients, servers);
  const std::size_t per_node = params.endpoints_per_node;
  const std::string size = params.topology == Topology::mesh
                               ? text(params.mesh_columns) + " x " + text(params.mesh_rows)
                               : text(nodes);
  if (nodes > kMaxNodes) {
    faults.push_back({"", size + " nodes are more than " + text(kMaxNodes)});
  } else if (nodes * per_node < std::max(clients, servers)) {
    faults.push_back({params.topology == Topology::mesh ? "mesh_columns" : "ring_nodes",
                      size + " nodes with " + text(per_node) +
                          " clients and servers each are too few for " + text(clients) +
                          " clients and " + text(servers) + " servers"});
  } else {
    check_list("client_nodes", params.client_nodes, clients, nodes, per_node, faults);
    check_list("server_nodes", params.server_nodes, servers, nodes, per_node, faults);
  }
  return faults;
}

std::vector<std::uint32_t> place_endpoints(const std::vector<Count>& list, std::size_t count,
                                           std::size_t nodes) {
  std::vector<std::uint32_t> placed;
  placed.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    placed.push_back(static_cast<std::uint32_t>(list.empty() ? i * nodes / count : list[i]));
  }
  return placed;
}

}  // namespace tilewave
