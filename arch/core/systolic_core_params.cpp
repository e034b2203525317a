// SPDX-License-Identifier: Apache-2.0
#include "arch/core/systolic_core_params.hpp"

#include <algorithm>

#include "arch/matrix/cube/cube_timing.hpp"
#include "arch/memory/scratchpad/bank_conflicts.hpp"
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

/// Cycles from one vector to the next that the banks of a buffer allow. A tile lies vector behind
/// vector, as the unit takes them, so a vector of `bytes` asks for so many words in a row, wherever
/// it begins; the slowest one counts, since a stream has one interval.
Cycle bank_cycles(const BufferParams& buffer, Bytes bytes, Count vectors) {
  if (!buffer.banking || bytes == 0 || vectors == 0) return 1;
  const Count fit = buffer.unlimited ? vectors : std::max<Count>(1, buffer.capacity_bytes / bytes);
  const StreamAccess stream{.first = {.lanes = bytes, .lane_stride_bytes = 1, .element_bytes = 1},
                            .vectors = std::min(vectors, fit),
                            .step_bytes = bytes};
  return std::max<Cycle>(1, BankConflicts(*buffer.banking).cost(stream).slowest_cycles);
}

}  // namespace

FoldShape fold_shape(const SystolicCoreParams& core, DataType type, Count m, Count n, Count k,
                     bool first, bool last) {
  const auto& unit = core.matrix;
  const auto& array = unit.array;
  const auto passes = core.passes(type);
  if (!passes) throw SimulationError("matrix unit has no throughput for this data type");
  if (array.cube) {
    FoldShape fold{.rows_used = m, .cols_used = n, .stream = k, .interval = *passes};
    fold.first = first, fold.last = last;
    fold.cube =
        cut_fold(array,
                 {.a_bits = activation_bits(type),
                  .b_bits = weight_bits(type),
                  .block_depth = array.cube->depth * core.speed(type),
                  .passes = *passes,
                  .l1_bytes_per_cycle = share(core.activation.read_bytes_per_cycle, unit.count)},
                 m, n, k);
    return fold;
  }
  const Bytes activation_port = share(core.activation.read_bytes_per_cycle, unit.count);
  const Bytes weight_port = core.weight.store == WeightStore::buffer
                                ? share(core.weight.buffer.read_bytes_per_cycle, unit.count)
                            : core.weight.store == WeightStore::shared ? activation_port
                                                                       : 0;
  const BufferParams& weight_buffer =
      core.weight.store == WeightStore::shared ? core.activation : core.weight.buffer;
  const Bytes result_port = share(core.accumulator.write_bytes_per_cycle, unit.count);
  const unsigned a_bits = activation_bits(type), w_bits = weight_bits(type),
                 acc_bits = accumulator_bits(type);

  FoldShape fold{.first = first, .last = last};
  Cycle ports = 1;
  unsigned stationary_bits = 0;
  switch (array.dataflow) {
    case Dataflow::weight_stationary:
      fold.rows_used = k, fold.cols_used = n, fold.stream = m;
      ports = std::max({port_cycles(bytes_for(k, a_bits), activation_port),
                        port_cycles(bytes_for(n, acc_bits), result_port),
                        bank_cycles(core.activation, unit.count * bytes_for(k, a_bits), m),
                        bank_cycles(core.accumulator, unit.count * bytes_for(n, acc_bits), m)});
      stationary_bits = w_bits;
      break;
    case Dataflow::input_stationary:
      fold.rows_used = k, fold.cols_used = m, fold.stream = n;
      ports = std::max({port_cycles(bytes_for(k, w_bits), weight_port),
                        port_cycles(bytes_for(m, acc_bits), result_port),
                        bank_cycles(weight_buffer, unit.count * bytes_for(k, w_bits), n),
                        bank_cycles(core.accumulator, unit.count * bytes_for(m, acc_bits), n)});
      stationary_bits = a_bits;
      break;
    case Dataflow::output_stationary:
      fold.rows_used = m, fold.cols_used = n, fold.stream = k;
      ports = core.weight.store == WeightStore::shared
                  ? port_cycles(bytes_for(m, a_bits) + bytes_for(n, w_bits), activation_port)
                  : std::max(port_cycles(bytes_for(m, a_bits), activation_port),
                             port_cycles(bytes_for(n, w_bits), weight_port));
      ports = std::max(
          ports, core.weight.store == WeightStore::shared
                     ? bank_cycles(core.activation,
                                   unit.count * (bytes_for(m, a_bits) + bytes_for(n, w_bits)), k)
                     : std::max(bank_cycles(core.activation, unit.count * bytes_for(m, a_bits), k),
                                bank_cycles(weight_buffer, unit.count * bytes_for(n, w_bits), k)));
      break;
  }
  fold.interval = std::max(*passes, ports);
  if (array.dataflow != Dataflow::output_stationary) {
    const Count together = unit.stationary_rows_per_cycle;
    fold.load_cycles = ceil_div(array.rows, together) *
                       port_cycles(together * bytes_for(array.cols, stationary_bits),
                                   unit.stationary_bytes_per_cycle);
  }
  return fold;
}

Cycle vector_cycles(const SystolicCoreParams& core, Count elements,
                    const program::Instruction& work) {
  if (elements == 0) return 0;
  const auto& source = work.reads_accumulators ? core.accumulator : core.activation;
  const Cycle lanes =
      ceil_div(elements * work.operations_per_element * core.vector->cycles_per_operation,
               core.vector->lanes);
  const Cycle reads =
      port_cycles(elements * work.read_bytes_per_element, source.read_bytes_per_cycle);
  const Cycle writes =
      port_cycles(elements * work.write_bytes_per_element, core.activation.write_bytes_per_cycle);
  // Dense accesses of all banks: as many bytes a cycle as the banks have ports for.
  const auto banked = [](const BufferParams& buffer, Bytes bytes) {
    return buffer.banking ? port_cycles(bytes, buffer.banking->bytes_per_cycle()) : 1;
  };
  return std::max({lanes, reads, writes, banked(source, elements * work.read_bytes_per_element),
                   banked(core.activation, elements * work.write_bytes_per_element)});
}

}  // namespace tilewave
