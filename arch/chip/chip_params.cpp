// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/chip_params.hpp"

#include <algorithm>
#include <cmath>

#include "arch/matrix/cube/cube_timing.hpp"
#include "arch/matrix/fold_timing.hpp"
#include "arch/matrix/steady_state.hpp"

namespace tilewave {

double ChipParams::dram_bytes_per_cycle() const {
  if (dram.ideal) return 0.0;
  const double peak = static_cast<double>(dram.bandwidth.bytes_per_s) / clock().hz();
  return dram.controllers ? peak * (1 - dram.controllers->refresh_share()) : peak;
}

double ChipParams::vector_operations_per_cycle() const {
  if (!core.vector) return 0;
  return static_cast<double>(vector_lanes()) /
         static_cast<double>(core.vector->cycles_per_operation);
}

Cycle ChipParams::launch_cycles() const {
  return static_cast<Cycle>(std::llround(launch_overhead_us * clock_ghz * 1e3));
}

double ChipParams::dram_latency_cycles() const {
  const double own_ns = dram.controllers
                            ? static_cast<double>(dram.controllers->closed_read_latency_cycles()) /
                                  dram.controllers->clock().ghz()
                            : 0.0;
  return (own_ns + dram.latency_ns) * clock_ghz;
}

double ChipParams::host_bytes_per_cycle() const {
  return host ? static_cast<double>(host->bandwidth.bytes_per_s) / clock().hz() : 0.0;
}

double ChipParams::link_bytes_per_cycle() const {
  return links ? static_cast<double>(links->ring_bandwidth().bytes_per_s) / clock().hz() : 0.0;
}

PoweredUnits ChipParams::powered_units() const {
  const auto capacity = [](const BufferParams& b) { return b.unlimited ? 0 : b.capacity_bytes; };
  Bytes sram = capacity(core.activation) + capacity(core.accumulator);
  if (const auto& cube = core.matrix.array.cube) {
    sram += core.matrix.count * (cube->l0a_bytes + cube->l0b_bytes);
  }
  if (core.weight.store == WeightStore::buffer) sram += capacity(core.weight.buffer);
  if (core.weight.store == WeightStore::fifo)
    sram += core.weight.fifo_tiles * core.weight_tile_bytes();
  return {.clock = clock(),
          .sram_bytes = cores * sram + (l2 ? l2->cache.capacity_bytes : 0),
          .pes = peak_macs_per_cycle(),
          .vector_lanes = vector_lanes(),
          .dram_kind = dram.kind,
          .host_link = host ? host->type : ""};
}

SystolicTarget ChipParams::target() const {
  const auto buffer = [](const BufferParams& b) {
    return TargetBuffer{.unlimited = b.unlimited, .capacity_bytes = b.capacity_bytes};
  };
  const auto& array = core.matrix.array;
  SystolicTarget t;
  t.cores = cores;
  t.core_split_macs = core_split_macs;
  t.core_split_elements = core_split_elements;
  t.split_k = split_k;
  t.separate_reductions = separate_reductions;
  t.launch_cycles = launch_cycles();
  t.transfers_in_launch = transfers_in_launch;
  t.cast_operations = core.matrix.cast_operations;
  t.serial_windows = serial_windows;
  t.dataflow = array.dataflow;
  t.rows = array.rows;
  t.cols = array.cols;
  t.units = core.matrix.count;
  if (array.cube) {
    t.cube = TargetCube{.l0a_half_bytes = array.cube->l0a_bytes / 2,
                        .l0b_half_bytes = array.cube->l0b_bytes / 2,
                        .block_depth = {}};
    for (const auto& [type, passes] : core.matrix.passes) {
      t.cube->block_depth[type] = array.cube->depth * core.speed(type);
    }
  }
  t.activation = buffer(core.activation);
  t.accumulator = buffer(core.accumulator);
  for (const auto& [type, passes] : core.matrix.passes) t.types.push_back(type);
  switch (core.weight.store) {
    case WeightStore::buffer:
      t.weights = SystolicTarget::Weights::buffer;
      t.weight = buffer(core.weight.buffer);
      break;
    case WeightStore::shared:
      t.weights = SystolicTarget::Weights::shared;
      break;
    case WeightStore::fifo:
      t.weights = SystolicTarget::Weights::fifo;
      t.fifo_tiles = core.weight.fifo_tiles;
      break;
  }
  t.has_vector_unit = core.vector.has_value();
  t.fused_epilogue = core.vector && core.vector->fused_epilogue;
  t.vector_overlaps = !core.vector || core.vector->overlaps_products;
  t.dram_holds_weights_only = dram.weights_only;
  // Where several cores take part in an op, its result lies in pieces.
  t.keep_results = keep_results && cores == 1;
  t.keep_scratch = keep_results;
  t.tiled_weights = tiled_weights;
  t.whole_weight_tiles = whole_weight_tiles;
  t.whole_host_results = whole_host_results;
  t.fusion = fusion;
  t.tensor_alignment_bytes = tensor_alignment_bytes;
  t.layout_tile = layout_tile;
  t.separate_taps = separate_taps;
  t.fold_cycles = [core = core](DataType type, Count m, Count n, Count k) {
    const FoldShape fold = fold_shape(core, type, m, n, k, true, true);
    // A fold stays in the unit's queue until it is complete: short folds in a deep pipeline wait.
    CubeHistory idle;
    const Cycle in_queue = core.matrix.array.cube
                               ? enter_fold(core.matrix.array, idle, 0, fold).completion
                               : completion(core.matrix.array, 0, fold) + fold.load_cycles +
                                     core.matrix.result_latency_cycles;
    return std::max(steady_state_interval(core.matrix.array, fold),
                    ceil_div(in_queue, Cycle{core.dma.queue_depth}));
  };
  FoldShape one{.rows_used = 1, .cols_used = 1, .stream = 1, .interval = 1};
  t.fill_drain_cycles = array.cube ? array.cube->latency_cycles
                                   : completion(array, 0, one) - stream_end(0, one) +
                                         core.matrix.result_latency_cycles;
  if (core.vector) {
    t.vector_cycles = [core = core](Count elements, Count operations) {
      program::Instruction work;
      work.operations_per_element = operations;
      return vector_cycles(core, elements, work);
    };
  }
  t.vector_latency_cycles = core.vector ? core.vector->latency_cycles : 0;
  t.dram_bytes_per_cycle = dram_bytes_per_cycle();
  if (l2) {
    t.l2_bytes_per_cycle = static_cast<double>(l2->bytes_per_cycle());
    t.l2_capacity_bytes = l2->cache.capacity_bytes;
    t.l2_line_bytes = l2->cache.line_bytes;
  }
  t.dma_bytes_per_cycle = static_cast<double>(core.dma.read_bytes_per_cycle);
  t.host_bytes_per_cycle = host_bytes_per_cycle();
  t.dram_latency_cycles = dram_latency_cycles();
  t.host_latency_cycles = host ? host->latency_ns * clock_ghz : 0.0;
  t.chips = chips;
  t.link_bytes_per_cycle = link_bytes_per_cycle();
  t.link_latency_cycles = links ? links->latency_ns * clock_ghz : 0.0;
  t.request_bytes = core.dma.request_bytes;
  t.outstanding = core.dma.outstanding;
  t.queue_depth = core.dma.queue_depth;
  return t;
}

}  // namespace tilewave
