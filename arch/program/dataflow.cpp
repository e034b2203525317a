// SPDX-License-Identifier: Apache-2.0
#include "arch/program/dataflow.hpp"

namespace tilewave {

std::string_view to_string(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::output_stationary:
      return "output_stationary";
    case Dataflow::weight_stationary:
      return "weight_stationary";
    case Dataflow::input_stationary:
      return "input_stationary";
  }
  return "unknown";
}

}  // namespace tilewave
