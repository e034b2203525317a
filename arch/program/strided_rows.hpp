// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/program/affine.hpp"
#include "arch/program/run_block.hpp"

namespace tilewave::program {

/// A tile of a matrix: rows of bytes at a pitch.
struct StridedRows {
  struct Dim {
    Span span;
    Bytes pitch_bytes = 0;  ///< 0: packed, each begins where the one before ended
  };
  std::vector<Dim> dims{};  ///< outermost first, at most kRunLevels
  Span row_bytes = Span::whole(1);

  [[nodiscard]] Bytes bytes_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] Count blocks_at(const LoopIndex&) const noexcept { return 1; }
  [[nodiscard]] RunBlock block_at(const LoopIndex& index, Count number) const noexcept;
};

}  // namespace tilewave::program
