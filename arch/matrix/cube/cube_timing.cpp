// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/cube/cube_timing.hpp"

#include <algorithm>

#include "arch/program/data_type.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

CubeTimes enter_fold(const ArrayParams& params, CubeHistory& history, Cycle begin,
                     const FoldShape& shape) {
  const CubeFold& cube = shape.cube;
  CubeTimes times;
  Cycle filled = begin + cube.fill(0);
  Cycle multiply = std::max(filled, history.multiply_free);
  times.multiply_begin = multiply;
  if (cube.slices > 1) {
    // All slices but the last are alike.
    const Cycle each = std::max(cube.multiply_cycles, cube.fill_cycles);
    const Cycle before_last = multiply + (cube.slices - 2) * each;
    filled = before_last + cube.last_fill_cycles;
    multiply = before_last + std::max(cube.multiply_cycles, cube.last_fill_cycles);
  }
  times.filled = filled;
  times.multiply_end = multiply + cube.last_multiply_cycles;
  times.completion = times.multiply_end - 1 + params.cube->latency_cycles;
  history.fill_free = multiply;
  history.multiply_free = times.multiply_end;
  return times;
}

Cycle cube_interval(const FoldShape& shape) {
  const CubeFold& cube = shape.cube;
  Cycle interval = 0;
  for (Count slice = 0; slice < cube.slices; ++slice) {
    interval += std::max(cube.multiply(slice), cube.fill((slice + 1) % cube.slices));
  }
  return interval;
}

CubeFold cut_fold(const ArrayParams& params, const CubeOperands& operands, Count m, Count n,
                  Count k) {
  const CubeParams& p = *params.cube;
  const Count m_blocks = ceil_div(m, params.rows), n_blocks = ceil_div(n, params.cols);
  const Count k_blocks = ceil_div(k, operands.block_depth);
  // Whole blocks lie in L0A and L0B.
  const Bytes a_block = bytes_for(m_blocks * params.rows * operands.block_depth, operands.a_bits);
  const Bytes b_block = bytes_for(n_blocks * params.cols * operands.block_depth, operands.b_bits);
  const Count fit = std::min(p.l0a_bytes / 2 / a_block, p.l0b_bytes / 2 / b_block);
  if (fit == 0) throw SimulationError("cube: a tile is too large for half of L0A or L0B");
  const Count in_slice = std::min(fit, k_blocks);
  const auto fill = [&](Count blocks) {
    const Bytes a = blocks * a_block, b = blocks * b_block;
    const Cycle paths =
        ceil_div(a, p.l0a_fill_bytes_per_cycle) + ceil_div(b, p.l0b_fill_bytes_per_cycle);
    return operands.l1_bytes_per_cycle == 0
               ? paths
               : std::max(paths, ceil_div(a + b, operands.l1_bytes_per_cycle));
  };
  CubeFold fold;
  fold.slices = ceil_div(k_blocks, in_slice);
  fold.block_depth = operands.block_depth;
  fold.depth = in_slice * operands.block_depth;
  const Count last = k_blocks - (fold.slices - 1) * in_slice;
  fold.multiply_cycles = m_blocks * n_blocks * in_slice * operands.passes;
  fold.last_multiply_cycles = m_blocks * n_blocks * last * operands.passes;
  fold.fill_cycles = fill(in_slice);
  fold.last_fill_cycles = fill(last);
  return fold;
}

}  // namespace tilewave
