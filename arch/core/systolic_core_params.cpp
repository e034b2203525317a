// SPDX-License-Identifier: Apache-2.0
#include "arch/core/systolic_core_params.hpp"

#include <algorithm>

#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

/// Cycles a port takes for `bytes`; 0 width means as wide as asked.
Cycle port_cycles(Bytes bytes, Bytes bytes_per_cycle) {
  return bytes_per_cycle == 0 ? 1 : std::max<Cycle>(1, ceil_div(bytes, bytes_per_cycle));
}

/// The units of a core share a buffer's port evenly.
Bytes share(Bytes bytes_per_cycle, Count units) {
  return bytes_per_cycle == 0 ? 0 : std::max<Bytes>(1, bytes_per_cycle / units);
}

}  // namespace

FoldShape fold_shape(const SystolicCoreParams& core, DataType type, Count m, Count n, Count k,
                     bool first, bool last) {
  const auto& unit = core.matrix;
  const auto& array = unit.array;
  const auto passes = core.passes(type);
  if (!passes) throw SimulationError("matrix unit has no throughput for this data type");
  const Bytes activation_port = share(core.activation.read_bytes_per_cycle, unit.count);
  const Bytes weight_port = core.weight.store == WeightStore::buffer
                                ? share(core.weight.buffer.read_bytes_per_cycle, unit.count)
                            : core.weight.store == WeightStore::shared ? activation_port
                                                                       : 0;
  const Bytes result_port = share(core.accumulator.write_bytes_per_cycle, unit.count);
  const unsigned a_bits = activation_bits(type), w_bits = weight_bits(type),
                 acc_bits = accumulator_bits(type);

  FoldShape fold{.first = first, .last = last};
  Cycle ports = 1;
  unsigned stationary_bits = 0;
  switch (array.dataflow) {
    case Dataflow::weight_stationary:
      fold.rows_used = k, fold.cols_used = n, fold.stream = m;
      ports = std::max(port_cycles(bytes_for(k, a_bits), activation_port),
                       port_cycles(bytes_for(n, acc_bits), result_port));
      stationary_bits = w_bits;
      break;
    case Dataflow::input_stationary:
      fold.rows_used = k, fold.cols_used = m, fold.stream = n;
      ports = std::max(port_cycles(bytes_for(k, w_bits), weight_port),
                       port_cycles(bytes_for(m, acc_bits), result_port));
      stationary_bits = a_bits;
      break;
    case Dataflow::output_stationary:
      fold.rows_used = m, fold.cols_used = n, fold.stream = k;
      ports = core.weight.store == WeightStore::shared
                  ? port_cycles(bytes_for(m, a_bits) + bytes_for(n, w_bits), activation_port)
                  : std::max(port_cycles(bytes_for(m, a_bits), activation_port),
                             port_cycles(bytes_for(n, w_bits), weight_port));
      break;
  }
  fold.interval = std::max(*passes, ports);
  if (array.dataflow != Dataflow::output_stationary) {
    fold.load_cycles = array.rows * port_cycles(bytes_for(array.cols, stationary_bits),
                                                unit.stationary_bytes_per_cycle);
  }
  return fold;
}

Cycle vector_cycles(const SystolicCoreParams& core, Count elements,
                    const program::Instruction& work) {
  if (elements == 0) return 0;
  const auto& source = work.reads_accumulators ? core.accumulator : core.activation;
  const Cycle lanes = ceil_div(elements * work.operations_per_element, core.vector->lanes);
  const Cycle reads =
      port_cycles(elements * work.read_bytes_per_element, source.read_bytes_per_cycle);
  const Cycle writes =
      port_cycles(elements * work.write_bytes_per_element, core.activation.write_bytes_per_cycle);
  return std::max({lanes, reads, writes});
}

}  // namespace tilewave
