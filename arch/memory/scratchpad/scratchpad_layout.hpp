// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/memory/scratchpad/bank_access.hpp"

namespace tilewave {

enum class MatrixOrder : std::uint8_t {
  row_major,
  column_major,  ///< the transposed matrix row by row
  tiled          ///< tiles of tile_rows x tile_cols, row-major within and among each other
};

/// Where the elements of a matrix lie in a scratchpad, and the vector accesses that read (or write)
/// its rows and columns. The pitch leads from one row (column_major: column; tiled: row of tiles)
/// to the next; padding is what it is longer than the elements need.
///
///   row_major     base + r pitch + c e
///   column_major  base + c pitch + r e
///   tiled         base + (r / R) pitch + ((c / C) R C + (r % R) C + c % C) e   for tiles R x C
struct ScratchpadLayout {
  MatrixOrder order = MatrixOrder::row_major;
  std::uint64_t base_address = 0;
  Bytes element_bytes = 1;
  Bytes pitch_bytes = 0;
  Count tile_rows = 8, tile_cols = 128;  ///< a register of a vector unit

  [[nodiscard]] static ScratchpadLayout row_major(std::uint64_t base_address, Count cols,
                                                  Bytes element_bytes, Bytes padding_bytes = 0);
  [[nodiscard]] static ScratchpadLayout column_major(std::uint64_t base_address, Count rows,
                                                     Bytes element_bytes, Bytes padding_bytes = 0);
  [[nodiscard]] static ScratchpadLayout tiled(std::uint64_t base_address, Count cols,
                                              Bytes element_bytes, Bytes padding_bytes = 0,
                                              Count tile_rows = 8, Count tile_cols = 128);

  [[nodiscard]] std::uint64_t address(Count row, Count col) const noexcept;

  // A vector or stream of a tiled matrix stays within a tile, else a SimulationError.

  /// `lanes` elements of a row, from `col` on.
  [[nodiscard]] StridedAccess row_vector(Count row, Count col, Count lanes) const;
  /// `lanes` elements of a column, from `row` on.
  [[nodiscard]] StridedAccess column_vector(Count row, Count col, Count lanes) const;
  /// `rows` x `cols` elements from (row, col) on, a row a vector.
  [[nodiscard]] StreamAccess by_rows(Count row, Count col, Count rows, Count cols) const;
  /// The same, a column a vector.
  [[nodiscard]] StreamAccess by_columns(Count row, Count col, Count rows, Count cols) const;
  /// Tiled: the whole tile of an element as one vector.
  [[nodiscard]] StridedAccess tile_vector(Count row, Count col) const;

 private:
  [[nodiscard]] Bytes row_step() const noexcept;
  [[nodiscard]] Bytes col_step() const noexcept;
  void check_within_tile(Count row, Count col, Count rows, Count cols) const;
};

}  // namespace tilewave
