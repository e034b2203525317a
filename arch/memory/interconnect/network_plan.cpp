// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/interconnect/network_plan.hpp"

namespace tilewave {

NetworkPlan plan_of(const InterconnectParams& params, std::size_t nodes) {
  switch (params.topology) {
    case Topology::ring:
      return ring_plan(nodes);
    case Topology::mesh:
      return mesh_plan(params.mesh_columns, params.mesh_rows);
    case Topology::crossbar:
      break;
  }
  return crossbar_plan(params.virtual_output_queues);
}

}  // namespace tilewave
