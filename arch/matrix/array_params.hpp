// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "arch/matrix/cube/cube_params.hpp"
#include "arch/program/dataflow.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// How results leave an output-stationary array.
///   shift:  each column moves its results down and out, one row a cycle (R cycles, its own
///           registers).
///   direct: every PE writes its result out in the cycle it is complete, through a port of its own.
///           An ideal machine; SCALE-Sim counts this way.
enum class OutputDrain { shift, direct };
[[nodiscard]] std::string_view to_string(OutputDrain drain);

/// A grid of PEs, each with one multiplier, one accumulator or partial-sum register and one or two
/// stationary registers.
struct ArrayParams {
  Count rows = 0;  ///< PEs along the reduction (WS, IS) or along M (OS); >= 1
  Count cols = 0;  ///< PEs along the other dimension; >= 1
  Dataflow dataflow = Dataflow::weight_stationary;
  bool weight_double_buffer = true;  ///< a second stationary register, loaded while the first works
  bool fold_overlap = true;          ///< the next fold may enter before the last one has drained
  OutputDrain output_drain = OutputDrain::shift;
  /// PEs that operands, sums and rows of the stationary operand pass in a cycle, >= 1: pipeline
  /// registers stand so far apart. 1: the textbook array.
  Count hops_per_cycle = 1;
  /// A cube: in a cycle it adds a block of rows x cols x depth products. Its dataflow is
  /// output_stationary, for the sums stay in L0C; what is above is not for it.
  std::optional<CubeParams> cube{};
};

/// What one fold asks of the array. WS: stationary k x n, stream m. IS: stationary k x m, stream n.
/// OS: stationary (the results) m x n, stream k. A cube, too: m and n of a tile, any number of blocks.
struct FoldShape {
  Count rows_used = 0;    ///< 1..rows
  Count cols_used = 0;    ///< 1..cols
  Count stream = 0;       ///< vectors that pass through, >= 1
  Cycle interval = 1;     ///< cycles from one vector to the next: the largest of the passes a
                          ///< multiplication takes and of the transfer times at the array's ports
  Cycle load_cycles = 0;  ///< WS, IS: cycles the stationary operand takes through its path, >= rows
                          ///< / hops_per_cycle
  bool first = true;      ///< OS: the results start from zero (else they continue the last fold's)
  bool last = true;       ///< OS: the results drain after this fold
  CubeFold cube{};        ///< `interval`: cycles from one block to the next
  /// Cycles in which vectors, or blocks, enter.
  [[nodiscard]] Cycle entry_cycles() const {
    return cube.slices > 0 ? cube.all_multiply_cycles() : stream * interval;
  }
};

}  // namespace tilewave
