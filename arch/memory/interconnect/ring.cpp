// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/interconnect/network_plan.hpp"

namespace tilewave {

NetworkPlan ring_plan(std::size_t nodes) {
  NetworkPlan plan;
  plan.nodes = nodes;
  plan.lanes = 2;
  plan.next_link.assign(nodes * nodes, 0);
  if (nodes == 1) return plan;
  // Link 2n leads up from node n, link 2n + 1 down.
  for (std::size_t n = 0; n < nodes; ++n) {
    const auto here = static_cast<std::uint32_t>(n);
    const auto up = static_cast<std::uint32_t>((n + 1) % nodes);
    const auto down = static_cast<std::uint32_t>((n + nodes - 1) % nodes);
    plan.links.push_back({here, up, n + 1 == nodes});
    plan.links.push_back({here, down, n == 0});
    for (std::size_t target = 0; target < nodes; ++target) {
      const std::size_t distance_up = (target + nodes - n) % nodes;
      const bool tie = 2 * distance_up == nodes;
      const bool goes_up = tie ? n % 2 == 0 : 2 * distance_up < nodes;
      plan.next_link[n * nodes + target] = 2 * here + (goes_up ? 0 : 1);
    }
  }
  return plan;
}

}  // namespace tilewave
