// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/warp_program.hpp"

namespace tilewave {

std::string_view to_string(SubCoreCycle cycle) {
  switch (cycle) {
    case SubCoreCycle::issued:
      return "issued";
    case SubCoreCycle::math_pipe:
      return "math_pipe";
    case SubCoreCycle::memory_queue:
      return "memory_queue";
    case SubCoreCycle::dependency:
      return "dependency";
    case SubCoreCycle::shared_data:
      return "shared_data";
    case SubCoreCycle::wait_dram:
      return "wait_dram";
    case SubCoreCycle::wait_l2:
      return "wait_l2";
    case SubCoreCycle::barrier:
      return "barrier";
    case SubCoreCycle::store_drain:
      return "store_drain";
    case SubCoreCycle::launch:
      return "launch";
    case SubCoreCycle::idle:
      return "idle";
  }
  return "?";
}

}  // namespace tilewave
