// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/simulate.hpp"
#include "workloads/mapping/lower.hpp"

namespace tilewave {

/// All that is known after a run, before it is written down.
struct RunData {
  const RunRequest& request;
  const LoweredWorkload& lowered;
  const ChipRun& run;
  std::vector<EnergySplit> energy;  ///< of each layer
  double wall_s = 0;

  [[nodiscard]] const ChipParams& chip() const { return request.arch.chip; }
  [[nodiscard]] std::size_t layers() const { return run.layers.size(); }
  /// Passes of a layer's data type through the arrays; 1 where it multiplies nothing.
  [[nodiscard]] Cycle passes(std::size_t layer) const {
    return chip().core.passes(request.workload.ops[layer].dtype).value_or(1);
  }
  /// How many times as fast as at full rate a cube multiplies it.
  [[nodiscard]] Count speed(std::size_t layer) const {
    return chip().core.speed(request.workload.ops[layer].dtype);
  }
  /// Multiply-accumulates at full rate that take as long as a layer's.
  [[nodiscard]] double full_rate_macs(std::size_t layer) const {
    return static_cast<double>(run.layers[layer].macs * passes(layer)) /
           static_cast<double>(speed(layer));
  }
};

/// Bytes both ways.
struct MemoryBytes {
  Bytes read = 0, write = 0;
  [[nodiscard]] Bytes sum() const noexcept { return read + write; }
};
/// What the DRAM moved for a layer: its own transfers, also those that ran ahead; with an L2, the
/// fills and write-backs that were served in the layer's time.
[[nodiscard]] inline MemoryBytes dram_bytes(const LayerRecord& layer, const ChipParams& chip) {
  if (!chip.l2) return {layer.dram_read_bytes, layer.dram_write_bytes};
  return {layer.window_l2.memory_read_bytes, layer.window_l2.memory_write_bytes};
}

/// Energy of each layer from what its units counted.
[[nodiscard]] std::vector<EnergySplit> energy_of_layers(const RunRequest& request,
                                                        const ChipRun& run);

/// The report of a run (design, section 7).
[[nodiscard]] nlohmann::ordered_json write_report(const RunData& run);

}  // namespace tilewave
