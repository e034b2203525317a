// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/scratchpad/scratchpad_layout.hpp"

#include <fmt/format.h>

#include "sim/diagnostics.hpp"

namespace tilewave {

ScratchpadLayout ScratchpadLayout::row_major(std::uint64_t base_address, Count cols,
                                             Bytes element_bytes, Bytes padding_bytes) {
  return {.order = MatrixOrder::row_major,
          .base_address = base_address,
          .element_bytes = element_bytes,
          .pitch_bytes = cols * element_bytes + padding_bytes};
}

ScratchpadLayout ScratchpadLayout::column_major(std::uint64_t base_address, Count rows,
                                                Bytes element_bytes, Bytes padding_bytes) {
  return {.order = MatrixOrder::column_major,
          .base_address = base_address,
          .element_bytes = element_bytes,
          .pitch_bytes = rows * element_bytes + padding_bytes};
}

ScratchpadLayout ScratchpadLayout::tiled(std::uint64_t base_address, Count cols,
                                         Bytes element_bytes, Bytes padding_bytes, Count tile_rows,
                                         Count tile_cols) {
  if (tile_rows == 0 || tile_cols == 0) {
    throw SimulationError("scratchpad: a tile has at least one element");
  }
  return {.order = MatrixOrder::tiled,
          .base_address = base_address,
          .element_bytes = element_bytes,
          .pitch_bytes =
              ceil_div(cols, tile_cols) * tile_rows * tile_cols * element_bytes + padding_bytes,
          .tile_rows = tile_rows,
          .tile_cols = tile_cols};
}

std::uint64_t ScratchpadLayout::address(Count row, Count col) const noexcept {
  switch (order) {
    case MatrixOrder::row_major:
      break;
    case MatrixOrder::column_major:
      return base_address + col * pitch_bytes + row * element_bytes;
    case MatrixOrder::tiled: {
      const Count tile = col / tile_cols * tile_rows;
      const Count element = (tile + row % tile_rows) * tile_cols + col % tile_cols;
      return base_address + row / tile_rows * pitch_bytes + element * element_bytes;
    }
  }
  return base_address + row * pitch_bytes + col * element_bytes;
}

// From an element to the one below.
Bytes ScratchpadLayout::row_step() const noexcept {
  switch (order) {
    case MatrixOrder::row_major:
      break;
    case MatrixOrder::column_major:
      return element_bytes;
    case MatrixOrder::tiled:
      return tile_cols * element_bytes;
  }
  return pitch_bytes;
}

// From an element to the one on its right.
Bytes ScratchpadLayout::col_step() const noexcept {
  return order == MatrixOrder::column_major ? pitch_bytes : element_bytes;
}

void ScratchpadLayout::check_within_tile(Count row, Count col, Count rows, Count cols) const {
  if (order != MatrixOrder::tiled) return;
  if (row % tile_rows + rows > tile_rows || col % tile_cols + cols > tile_cols) {
    throw SimulationError(
        fmt::format("scratchpad: {} x {} elements from ({}, {}) on leave their tile of {} x {}",
                    rows, cols, row, col, tile_rows, tile_cols));
  }
}

StridedAccess ScratchpadLayout::row_vector(Count row, Count col, Count lanes) const {
  return by_rows(row, col, 1, lanes).first;
}

StridedAccess ScratchpadLayout::column_vector(Count row, Count col, Count lanes) const {
  return by_columns(row, col, lanes, 1).first;
}

StreamAccess ScratchpadLayout::by_rows(Count row, Count col, Count rows, Count cols) const {
  check_within_tile(row, col, rows, cols);
  return {.first = {address(row, col), cols, col_step(), element_bytes},
          .vectors = rows,
          .step_bytes = row_step()};
}

StreamAccess ScratchpadLayout::by_columns(Count row, Count col, Count rows, Count cols) const {
  check_within_tile(row, col, rows, cols);
  return {.first = {address(row, col), rows, row_step(), element_bytes},
          .vectors = cols,
          .step_bytes = col_step()};
}

StridedAccess ScratchpadLayout::tile_vector(Count row, Count col) const {
  if (order != MatrixOrder::tiled) throw SimulationError("scratchpad: the matrix has no tiles");
  return {.base_address = address(row - row % tile_rows, col - col % tile_cols),
          .lanes = tile_rows * tile_cols,
          .lane_stride_bytes = element_bytes,
          .element_bytes = element_bytes};
}

}  // namespace tilewave
