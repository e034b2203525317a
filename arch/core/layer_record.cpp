// SPDX-License-Identifier: Apache-2.0
#include "arch/core/layer_record.hpp"

#include <algorithm>

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
    case CycleClass::wait_link:
      return "wait_link";
    case CycleClass::wait_store:
      return "wait_store";
    case CycleClass::wait_cores:
      return "wait_cores";
    case CycleClass::launch:
      return "launch";
    case CycleClass::idle:
      return "idle";
  }
  return "?";
}

LayerRecord& LayerRecord::operator+=(const LayerRecord& next) noexcept {
  end_cycle = next.end_cycle;
  for (std::size_t c = 0; c < kCycleClasses; ++c) breakdown[c] += next.breakdown[c];
  for (Count LayerRecord::*count : {&LayerRecord::macs,
                                    &LayerRecord::folds,
                                    &LayerRecord::mapped_pe_folds,
                                    &LayerRecord::vector_operations,
                                    &LayerRecord::pe_register_bytes,
                                    &LayerRecord::block_macs,
                                    &LayerRecord::l0a_read_bytes,
                                    &LayerRecord::l0a_write_bytes,
                                    &LayerRecord::l0b_read_bytes,
                                    &LayerRecord::l0b_write_bytes,
                                    &LayerRecord::dram_read_bytes,
                                    &LayerRecord::dram_write_bytes,
                                    &LayerRecord::host_read_bytes,
                                    &LayerRecord::host_write_bytes,
                                    &LayerRecord::window_dram_bytes,
                                    &LayerRecord::window_host_bytes,
                                    &LayerRecord::link_bytes,
                                    &LayerRecord::window_link_bytes,
                                    &LayerRecord::activation_read_bytes,
                                    &LayerRecord::activation_write_bytes,
                                    &LayerRecord::weight_read_bytes,
                                    &LayerRecord::weight_write_bytes,
                                    &LayerRecord::accumulator_read_bytes,
                                    &LayerRecord::accumulator_write_bytes}) {
    this->*count += next.*count;
  }
  window_dram += next.window_dram;
  window_l2 += next.window_l2;
  return *this;
}

LayerRecord of_all_cores(const std::vector<const LayerRecord*>& cores) {
  LayerRecord sum = *cores.front();
  for (std::size_t i = 1; i < cores.size(); ++i) sum += *cores[i];
  // What division leaves goes to the classes with the largest remainders, earlier ones first.
  const Count count = cores.size();
  std::array<std::size_t, kCycleClasses> order{};
  Cycle given = 0;
  for (std::size_t c = 0; c < kCycleClasses; ++c) {
    order[c] = c;
    given += sum.breakdown[c] / count;
  }
  const auto remainder = [&](std::size_t c) { return sum.breakdown[c] % count; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b); });
  const auto mean = [&](std::size_t c) { return sum.breakdown[c] / count; };
  std::array<Cycle, kCycleClasses> breakdown{};
  for (const std::size_t c : order) breakdown[c] = mean(c);
  for (std::size_t k = 0; given < sum.cycles(); ++k, ++given) ++breakdown[order[k]];
  sum.breakdown = breakdown;
  return sum;
}

}  // namespace tilewave
