// SPDX-License-Identifier: Apache-2.0
#include "app/report/run_data.hpp"

namespace tilewave {

namespace {

ActionCounts actions_of(const LayerRecord& layer, DataType type, const SystolicCoreParams& core) {
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
  for (const auto& [name, traffic] : actions.l1) {
    actions.wire_byte_mm +=
        static_cast<double>(traffic.read_bytes + traffic.write_bytes) * core.wire_length_mm;
  }
  actions.dram_read_bytes = layer.dram_read_bytes;
  actions.dram_write_bytes = layer.dram_write_bytes;
  actions.host_read_bytes = layer.host_read_bytes;
  actions.host_write_bytes = layer.host_write_bytes;
  actions.cycles = layer.cycles();
  return actions;
}

}  // namespace

std::vector<EnergySplit> energy_of_layers(const RunRequest& request, const ChipRun& run) {
  const PoweredUnits units = request.arch.chip.powered_units();
  std::vector<EnergySplit> energy;
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    energy.push_back(
        energy_of(actions_of(run.layers[i], request.workload.ops[i].dtype, request.arch.chip.core),
                  request.arch.energy, units));
  }
  return energy;
}

}  // namespace tilewave
