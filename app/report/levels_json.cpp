// SPDX-License-Identifier: Apache-2.0
#include "app/report/levels_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewave {

Json levels_json(const LayerRecord& l, const ChipParams& chip, DataType type, Cycle cycles) {
  const ArrayParams& array = chip.core.matrix.array;
  const CubeParams& cube = *array.cube;
  const double seconds = static_cast<double>(cycles) / chip.clock().hz();
  const auto all_cubes = [&](Bytes bytes_per_cycle) {
    return static_cast<double>(chip.cores * chip.core.matrix.count * bytes_per_cycle) *
           chip.clock().hz() * 1e-9;
  };
  Json json;
  const auto add = [&](const char* name, Bytes read, Bytes write, double peak_gb_per_s) {
    json[name] = {
        {"read_bytes", read},
        {"write_bytes", write},
        {"gb_per_s", seconds > 0 ? static_cast<double>(read + write) * 1e-9 / seconds : 0.0},
        {"peak_gb_per_s", peak_gb_per_s}};
  };
  // A block of operands a cycle, while the other half is filled.
  const Count depth = cube.depth * chip.core.speed(type);
  const Bytes a = bytes_for(array.rows * depth, activation_bits(type));
  const Bytes b = bytes_for(array.cols * depth, weight_bits(type));
  const Bytes c = bytes_for(array.rows * array.cols, accumulator_bits(type));
  add("l0a", l.l0a_read_bytes, l.l0a_write_bytes, all_cubes(a + cube.l0a_fill_bytes_per_cycle));
  add("l0b", l.l0b_read_bytes, l.l0b_write_bytes, all_cubes(b + cube.l0b_fill_bytes_per_cycle));
  // A block of sums read and one written.
  add("l0c", l.accumulator_read_bytes, l.accumulator_write_bytes, all_cubes(2 * c));
  // One of the two paths at a time; what fills L1 comes at the width of the DMA's.
  const Bytes out = std::max(cube.l0a_fill_bytes_per_cycle, cube.l0b_fill_bytes_per_cycle);
  add("l1", l.activation_read_bytes + l.weight_read_bytes,
      l.activation_write_bytes + l.weight_write_bytes,
      all_cubes(out + (chip.core.dma.read_bytes_per_cycle + chip.core.dma.write_bytes_per_cycle) /
                          chip.core.matrix.count));
  if (chip.l2) {
    add("l2", l.window_l2.read_bytes, l.window_l2.write_bytes,
        static_cast<double>(chip.l2->bytes_per_cycle()) * chip.clock().hz() * 1e-9);
  }
  const MemoryBytes dram = dram_bytes(l, chip);
  add("dram", dram.read, dram.write, chip.dram.ideal ? 0.0 : chip.dram.bandwidth.gb_per_s());
  return json;
}

}  // namespace tilewave
