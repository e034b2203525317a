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

LayerRecord& LayerRecord::operator+=(const LayerRecord& next) noexcept {
  end_cycle = next.end_cycle;
  for (std::size_t c = 0; c < kCycleClasses; ++c) breakdown[c] += next.breakdown[c];
  for (Count LayerRecord::*count :
       {&LayerRecord::macs, &LayerRecord::folds, &LayerRecord::mapped_pe_folds,
        &LayerRecord::vector_operations, &LayerRecord::pe_register_bytes,
        &LayerRecord::dram_read_bytes, &LayerRecord::dram_write_bytes,
        &LayerRecord::host_read_bytes, &LayerRecord::host_write_bytes,
        &LayerRecord::window_dram_bytes, &LayerRecord::window_host_bytes,
        &LayerRecord::activation_read_bytes, &LayerRecord::activation_write_bytes,
        &LayerRecord::weight_read_bytes, &LayerRecord::weight_write_bytes,
        &LayerRecord::accumulator_read_bytes, &LayerRecord::accumulator_write_bytes}) {
    this->*count += next.*count;
  }
  window_dram += next.window_dram;
  window_l2 += next.window_l2;
  return *this;
}

}  // namespace tilewave
