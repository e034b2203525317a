// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
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

/// What sets the size of tiles for a cube, whose blocks are rows x cols of C: any number of blocks, as
/// long as one column of blocks of A, and one row of those of B, has room in half of L0A and L0B.
struct TargetCube {
  Bytes l0a_half_bytes = 0, l0b_half_bytes = 0;
  std::map<DataType, Count> block_depth;  ///< of k
};

/// Tensors lie in memory in tiles of so many rows of so many numbers; those that do not fill the last
/// tile are padded, and the padding moves with them. A tile's row holds 32 bits of each lane and
/// sublane, so narrow types have more rows in a tile.
struct LayoutTile {
  Count lanes = 1, sublanes = 1;
  /// The fastest dimension, padded.
  [[nodiscard]] Count minor(Count elements) const { return ceil_div(elements, lanes) * lanes; }
  /// The next one.
  [[nodiscard]] Count rows(Count count, unsigned bits) const {
    const Count together = sublanes == 1 ? 1 : sublanes * std::max(1U, 32U / bits);
    return ceil_div(count, together) * together;
  }
};

/// What the mapper has to know of a systolic core: sizes, and what things cost there. The machine
/// fills it in (arch/chip), so that no timing formula stands twice.
struct SystolicTarget {
  Count cores = 1;                ///< each as described by the rest; they share the memory
  Count core_split_macs = 0;      ///< products of fewer multiply-accumulates stay on one core
  Count core_split_elements = 0;  ///< so does vector work on fewer numbers
  Count split_k = 0;              ///< parts of a product's k, on a core each; 0: the mapper chooses
  bool separate_reductions = false;  ///< a reduction over rows ends a launch
  Dataflow dataflow = Dataflow::weight_stationary;
  Count rows = 0, cols = 0, units = 1;
  std::optional<TargetCube> cube{};
  std::vector<DataType> types;  ///< what the matrix units multiply

  TargetBuffer activation, accumulator;
  /// Weights wait in an SRAM of their own, in the activation buffer, or in a FIFO of array tiles.
  enum class Weights { buffer, shared, fifo } weights = Weights::fifo;
  TargetBuffer weight;
  Count fifo_tiles = 0;

  bool has_vector_unit = false;
  bool fused_epilogue = true;            ///< one pass of the vector unit does a whole epilogue
  bool vector_overlaps = true;           ///< the vector unit works while the arrays do
  bool dram_holds_weights_only = false;  ///< activations come and go over the host link
  bool keep_results = true;              ///< results stay on chip between ops if they fit
  bool keep_scratch = true;              ///< so do those between the parts of an op
  Bytes tensor_alignment_bytes = 4096;
  Bytes tensor_reservation_bytes = 1;  ///< of addresses; tensors begin at multiples of it
  LayoutTile layout_tile;
  bool separate_taps = false;   ///< a tile of a convolution's weights is of one filter tap
  bool serial_windows = false;  ///< operands come in by windows, before the work on them
  Cycle launch_cycles = 0;      ///< before an op's first instruction
  bool transfers_in_launch = false;
  /// Lane operations that bring a number into a form that the matrix units take; none for most types.
  std::map<DataType, Count> cast_operations;
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
  double l2_bytes_per_cycle = 0;    ///< of all slices; 0: no L2
  Bytes l2_capacity_bytes = 0, l2_line_bytes = 1;
  double host_bytes_per_cycle = 0;
  double dma_bytes_per_cycle = 0;  ///< most that a core reads; 0: without limit
  double dram_latency_cycles = 0, host_latency_cycles = 0;
  // Between chips.
  Count chips = 1;
  double link_bytes_per_cycle = 0, link_latency_cycles = 0;
  // What a DMA engine can have under way.
  Bytes request_bytes = 0;
  Count outstanding = 1;
  Count queue_depth = 1;
};

}  // namespace tilewave
