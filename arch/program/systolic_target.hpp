// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "arch/program/data_type.hpp"
#include "arch/program/dataflow.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// A buffer as the mapper sees it.
struct TargetBuffer {
  bool present = false;
  bool unlimited = false;
  Bytes capacity_bytes = 0;
  [[nodiscard]] bool fits(Bytes bytes) const { return unlimited || bytes <= capacity_bytes; }
};

/// What the mapper has to know of a systolic core: sizes, and what things cost there. The machine
/// fills it in (arch/chip), so that no timing formula stands twice.
struct SystolicTarget {
  Dataflow dataflow = Dataflow::weight_stationary;
  Count rows = 0, cols = 0, units = 1;
  std::vector<DataType> types;  ///< what the matrix units multiply

  TargetBuffer activation, accumulator;
  /// Weights wait in an SRAM of their own, in the activation buffer, or in a FIFO of array tiles.
  enum class Weights { buffer, shared, fifo } weights = Weights::fifo;
  TargetBuffer weight;
  Count fifo_tiles = 0;

  bool has_vector_unit = false;
  bool fused_epilogue = true;            ///< one pass of the vector unit does a whole epilogue
  bool dram_holds_weights_only = false;  ///< activations come and go over the host link
  bool keep_results = true;              ///< results stay on chip between ops if they fit
  Bytes tensor_alignment_bytes = 4096;
  /// Results of products that leave over the host link do so once all of them are on chip.
  bool whole_host_results = false;
  bool fusion = true;         ///< epilogues are part of the product's kernel
  bool tiled_weights = true;  ///< weights lie in memory tile by tile, as they are fetched
  /// Tiles at the edges are padded to whole ones there and fetched with their padding (a FIFO).
  bool whole_weight_tiles = false;

  /// Cycles from one fold to the next in steady state, and to fill and drain the array once.
  std::function<Cycle(DataType, Count m, Count n, Count k)> fold_cycles;
  Cycle fill_drain_cycles = 0;
  /// Cycles the vector unit takes for `elements`.
  std::function<Cycle(Count elements, Count operations_per_element)> vector_cycles;
  Cycle vector_latency_cycles = 0;
  double dram_bytes_per_cycle = 0;  ///< 0: without limit
  double host_bytes_per_cycle = 0;
  double dram_latency_cycles = 0, host_latency_cycles = 0;
  // What a DMA engine can have under way.
  Bytes request_bytes = 0;
  Count outstanding = 1;
  Count queue_depth = 1;
};

}  // namespace tilewave
