// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "arch/matrix/array_params.hpp"
#include "arch/memory/scratchpad/scratchpad_params.hpp"
#include "arch/program/program.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// An on-chip SRAM of a core. Each client (array, vector unit, DMA) has a port of its own, as wide
/// as stated; with `banking`, what its own accesses find in the banks counts too. Not modelled:
/// conflicts between clients. The number of banks sets the size of one bank, and with it the energy
/// of an access.
struct BufferParams {
  bool unlimited = false;
  Bytes capacity_bytes = 0;
  Count banks = 1;
  Bytes read_bytes_per_cycle = 0;   ///< port towards the array; 0: as wide as the array asks
  Bytes write_bytes_per_cycle = 0;  ///< port from the array or the vector unit; 0: as wide as asked
  /// How the banks hold vectors and what each can do in a cycle; without it only the ports count.
  std::optional<ScratchpadParams> banking{};
  [[nodiscard]] Bytes bank_bytes() const { return capacity_bytes / (banks > 0 ? banks : 1); }
};

/// Where weights wait on chip.
enum class WeightStore {
  fifo,    ///< a queue of whole array tiles (TPU v1)
  buffer,  ///< an SRAM of its own
  shared,  ///< in the activation buffer (Gemmini's scratchpad)
};

struct WeightParams {
  WeightStore store = WeightStore::fifo;
  Count fifo_tiles = 4;
  BufferParams buffer;  ///< if store is `buffer`
};

struct MatrixUnitParams {
  ArrayParams array;
  Count count = 1;  ///< arrays of this kind in the core
  /// Passes a vector takes through the array, by data type: 1 / throughput.
  std::map<DataType, Cycle> passes;
  /// Cube: products that a block adds for each sum, as a multiple of its depth, by data type; 1 if
  /// not given.
  std::map<DataType, Count> speed{};
  /// Types that the vector unit has to convert for it, and results back: lane operations a number.
  std::map<DataType, Count> cast_operations;
  /// Width of the path of the stationary operand into each array; 0: a row a cycle.
  Bytes stationary_bytes_per_cycle = 0;
  /// Rows of the stationary operand that enter an array together, if the path is as wide; at most
  /// the array's hops_per_cycle.
  Count stationary_rows_per_cycle = 1;
  /// From the edge of an array into the accumulators: registers on the way of operands and results.
  Cycle result_latency_cycles = 0;
};

/// The SIMD unit for bias, activation functions, pooling, requantisation.
struct VectorUnitParams {
  Count lanes = 0;
  Cycle cycles_per_operation = 1;  ///< a lane is busy with each operation of an element
  Cycle latency_cycles = 0;        ///< from the last element's issue to its result
  /// A whole epilogue (bias, activation function, requantisation) is one pass of a pipeline; else
  /// each of its steps is an operation of its own.
  bool fused_epilogue = true;
  /// It works while the arrays do; else one program drives both, and they take turns.
  bool overlaps_products = true;
};

struct DmaParams {
  Count queue_depth = 8;           ///< instructions each queue of the core holds
  Bytes request_bytes = 65536;     ///< largest request; longer transfers are cut
  Count outstanding = 4;           ///< requests in flight, of each engine
  Bytes read_bytes_per_cycle = 0;  ///< path into the core, of all engines; 0: as wide as asked
  Bytes write_bytes_per_cycle = 0;
};

/// A systolic core: matrix units, vector unit, DMA engines and the SRAMs between them.
struct SystolicCoreParams {
  MatrixUnitParams matrix;
  std::optional<VectorUnitParams> vector;
  BufferParams activation;
  BufferParams accumulator;
  WeightParams weight;
  DmaParams dma;
  /// From the last operands that the arrays (in an op without products: the vector unit) take in to
  /// the first work of an op that reads the results, at least: pipelines, activation, the write to
  /// the buffer and the synchronisation after it.
  Cycle read_after_write_cycles = 0;
  /// Mean distance that a byte travels between the buffers and the units, for the energy of wires.
  double wire_length_mm = 0;

  /// A place of the weight FIFO: an array's worth of 8-bit weights, the width its size is given for.
  [[nodiscard]] Bytes weight_tile_bytes() const { return matrix.array.rows * matrix.array.cols; }
  /// Multiply-accumulates a cycle of the whole core at full rate.
  [[nodiscard]] Count peak_macs_per_cycle() const {
    const Count depth = matrix.array.cube ? matrix.array.cube->depth : 1;
    return matrix.count * matrix.array.rows * matrix.array.cols * depth;
  }
  /// Passes of `type`, none if the unit cannot multiply it.
  [[nodiscard]] std::optional<Cycle> passes(DataType type) const {
    const auto found = matrix.passes.find(type);
    if (found == matrix.passes.end()) return std::nullopt;
    return found->second;
  }
  /// Of `type`, how many times as many a cycle as at full rate.
  [[nodiscard]] Count speed(DataType type) const {
    const auto found = matrix.speed.find(type);
    return found == matrix.speed.end() ? 1 : found->second;
  }
};

/// Names of the buffers, as slots, statistics and the report use them.
inline constexpr const char* kActivationBuffer = "activation";
inline constexpr const char* kAccumulatorBuffer = "accumulator";
inline constexpr const char* kWeightBuffer = "weight";

/// Shape of a fold and the ports it goes through: the one place where a matrix instruction becomes
/// array timing; the mapper's predictions use it too.
[[nodiscard]] FoldShape fold_shape(const SystolicCoreParams& core, DataType type, Count m, Count n,
                                   Count k, bool first, bool last);

/// Cycles a vector instruction occupies the unit: lanes and buffer ports, whichever is slower.
[[nodiscard]] Cycle vector_cycles(const SystolicCoreParams& core, Count elements,
                                  const program::Instruction& work);

}  // namespace tilewave
