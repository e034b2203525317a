// SPDX-License-Identifier: Apache-2.0
#include "app/report/run_data.hpp"
#include "arch/memory/dram/dram_energy.hpp"

namespace tilewave {

namespace {

/// The L2's SRAM is read for what is asked of it and for what is written back, and written by fills
/// too; and the bytes over the interconnect's links.
void add_l2(const SharedCacheCounts& counts, const L2Params& l2, ActionCounts& actions) {
  actions.l2["l2"] = {.bank_bytes = l2.bank_bytes(),
                      .read_bytes = counts.read_bytes + counts.write_back_bytes,
                      .write_bytes = counts.write_bytes + counts.fill_bytes};
  actions.wire_byte_mm += static_cast<double>(counts.byte_hops) * l2.wire_length_mm;
}

ActionCounts actions_of(const LayerRecord& layer, DataType type, const ChipParams& chip) {
  const SystolicCoreParams& core = chip.core;
  ActionCounts actions;
  actions.macs[type] = layer.macs;
  actions.register_bytes = layer.pe_register_bytes;
  // Lane operations work on accumulator-wide numbers.
  actions.vector_ops[accumulator_bits(type)] = layer.vector_operations;
  const auto buffer = [&](const char* name, const BufferParams& params, Bytes read, Bytes write) {
    // An unlimited buffer has no size; it costs what the smallest bank costs.
    actions.l1[name] = {.bank_bytes = params.unlimited ? 0 : params.bank_bytes(),
                        .read_bytes = read,
                        .write_bytes = write};
  };
  Bytes activation_read = layer.activation_read_bytes,
        activation_write = layer.activation_write_bytes;
  switch (core.weight.store) {
    case WeightStore::shared:
      activation_read += layer.weight_read_bytes;
      activation_write += layer.weight_write_bytes;
      break;
    case WeightStore::buffer:
      buffer(kWeightBuffer, core.weight.buffer, layer.weight_read_bytes, layer.weight_write_bytes);
      break;
    case WeightStore::fifo: {
      BufferParams tile;
      tile.capacity_bytes = core.weight_tile_bytes();
      buffer(kWeightBuffer, tile, layer.weight_read_bytes, layer.weight_write_bytes);
      break;
    }
  }
  buffer(kActivationBuffer, core.activation, activation_read, activation_write);
  buffer(kAccumulatorBuffer, core.accumulator, layer.accumulator_read_bytes,
         layer.accumulator_write_bytes);
  if (const auto& cube = core.matrix.array.cube) {
    // A bank for each row of blocks in a half, for a block is read whole in a cycle.
    const auto l0 = [&](const char* name, Bytes bytes, Count rows, Bytes read, Bytes write) {
      actions.l1[name] = {.bank_bytes = bytes / 2 / rows, .read_bytes = read, .write_bytes = write};
    };
    l0("l0a", cube->l0a_bytes, core.matrix.array.rows, layer.l0a_read_bytes, layer.l0a_write_bytes);
    l0("l0b", cube->l0b_bytes, core.matrix.array.cols, layer.l0b_read_bytes, layer.l0b_write_bytes);
  }
  for (const auto& [name, traffic] : actions.l1) {
    actions.wire_byte_mm +=
        static_cast<double>(traffic.read_bytes + traffic.write_bytes) * core.wire_length_mm;
  }
  // Of controllers it is counted by their commands, not by bytes.
  if (!chip.dram.controllers) {
    const MemoryBytes dram = dram_bytes(layer, chip);
    actions.dram_read_bytes = dram.read;
    actions.dram_write_bytes = dram.write;
  }
  if (chip.l2) add_l2(layer.window_l2, *chip.l2, actions);
  actions.host_read_bytes = layer.host_read_bytes;
  actions.host_write_bytes = layer.host_write_bytes;
  actions.cycles = layer.cycles();
  return actions;
}

}  // namespace

std::vector<EnergySplit> energy_of_layers(const RunRequest& request, const ChipRun& run) {
  const ChipParams& chip = request.arch.chip;
  const PoweredUnits units = chip.powered_units();
  const auto& dram = chip.dram.controllers;
  std::vector<EnergySplit> energy;
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    const LayerRecord& layer = run.layers[i];
    energy.push_back(energy_of(actions_of(layer, request.workload.ops[i].dtype, chip),
                               request.arch.energy, units));
    if (dram) {
      const double seconds = static_cast<double>(layer.cycles()) / chip.clock().hz();
      energy.back().dram = energy_of(layer.window_dram, *dram, seconds).total();
    }
  }
  return energy;
}

}  // namespace tilewave
