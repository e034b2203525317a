// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "arch/memory/interconnect/network_plan.hpp"

namespace tilewave {

namespace {

/// The next node on the way.
std::size_t step_towards(std::size_t node, std::size_t target, std::size_t columns) {
  const std::size_t x = node % columns, target_x = target % columns;
  if (x != target_x) return x < target_x ? node + 1 : node - 1;
  return node < target ? node + columns : node - columns;
}

}  // namespace

NetworkPlan mesh_plan(std::size_t columns, std::size_t rows) {
  NetworkPlan plan;
  plan.nodes = columns * rows;
  plan.next_link.assign(plan.nodes * plan.nodes, 0);
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> link_of;
  const auto join = [&](std::size_t from, std::size_t to) {
    link_of[{from, to}] = static_cast<std::uint32_t>(plan.links.size());
    plan.links.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), false});
  };
  for (std::size_t node = 0; node < plan.nodes; ++node) {
    if (node % columns + 1 < columns) join(node, node + 1), join(node + 1, node);
    if (node + columns < plan.nodes) join(node, node + columns), join(node + columns, node);
  }
  for (std::size_t node = 0; node < plan.nodes; ++node) {
    for (std::size_t target = 0; target < plan.nodes; ++target) {
      if (node == target) continue;
      const std::size_t next = step_towards(node, target, columns);
      plan.next_link[node * plan.nodes + target] = link_of.at({node, next});
    }
  }
  return plan;
}

}  // namespace tilewave
