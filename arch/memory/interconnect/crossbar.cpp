// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/interconnect/network_plan.hpp"

namespace tilewave {

NetworkPlan crossbar_plan(bool virtual_output_queues) {
  NetworkPlan plan;
  plan.queue_per_destination = virtual_output_queues;
  plan.next_link.assign(1, 0);
  return plan;
}

}  // namespace tilewave
