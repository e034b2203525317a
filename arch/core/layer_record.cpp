// SPDX-License-Identifier: Apache-2.0
#include "arch/core/layer_record.hpp"

namespace tilewave {

std::string_view to_string(CycleClass c) {
  switch (c) {
    case CycleClass::matrix_busy:
      return "matrix_busy";
    case CycleClass::vector_busy:
      return "vector_busy";
    case CycleClass::weight_load:
      return "weight_load";
    case CycleClass::fill_drain:
      return "fill_drain";
    case CycleClass::wait_weights:
      return "wait_weights";
    case CycleClass::wait_activations:
      return "wait_activations";
    case CycleClass::wait_output:
      return "wait_output";
    case CycleClass::wait_dram:
      return "wait_dram";
    case CycleClass::wait_host:
      return "wait_host";
    case CycleClass::wait_store:
      return "wait_store";
    case CycleClass::idle:
      return "idle";
  }
  return "?";
}

}  // namespace tilewave
