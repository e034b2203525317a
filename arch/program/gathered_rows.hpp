// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/affine.hpp"
#include "arch/program/run_block.hpp"

namespace tilewave::program {

/// Rows of a table chosen by indices. Which ones is not known: they are spread over the table by a
/// fixed hash of their number, so that row hits are those of a random gather.
struct GatheredRows {
  Span rows;  ///< numbers of the rows gathered
  Count table_rows = 1;
  Bytes row_bytes = 1;

  [[nodiscard]] Bytes bytes_at(const LoopIndex& index) const noexcept {
    return rows.size_at(index) * row_bytes;
  }
  [[nodiscard]] Count blocks_at(const LoopIndex& index) const noexcept {
    return rows.size_at(index);
  }
  [[nodiscard]] RunBlock block_at(const LoopIndex& index, Count number) const noexcept {
    return {.offset = table_row(static_cast<Count>(rows.start_at(index)) + number) * row_bytes,
            .run_bytes = row_bytes};
  }

 private:
  /// splitmix64's mixing function (G. Steele et al., OOPSLA 2014), then scaled to the table.
  [[nodiscard]] Count table_row(Count number) const noexcept {
    std::uint64_t x = (number + 1) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (x ^ (x >> 31)) % table_rows;
  }
};

}  // namespace tilewave::program
