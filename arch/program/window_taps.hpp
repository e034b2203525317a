// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/affine.hpp"
#include "arch/program/run_block.hpp"

namespace tilewave::program {

/// The windows themselves (im2col): for each output pixel of the tile, the input elements under a
/// range of its taps, padding left out; an element under several windows is fetched for each.
///
/// Taps are numbered as the filters are stored: filter row, filter column, channel where channels
/// come last (NHWC); channel, filter row, filter column where each is a plane (NCHW).
struct WindowTaps {
  struct Axis {
    Count in = 1, out = 1;  ///< of an image
    Count filter = 1, stride = 1, padding = 0, dilation = 1;
  };
  Span outputs;  ///< output pixels, image by image, row by row
  Span taps;     ///< of filter rows x filter columns x channels
  Axis rows, cols;
  Count channels = 1;      ///< of the group
  Count row_channels = 1;  ///< of all groups
  bool planes = false;     ///< NCHW
  unsigned bits = 8;       ///< of an element

  [[nodiscard]] Bytes bytes_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] Count blocks_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] RunBlock block_at(const LoopIndex& index, Count number) const noexcept;

 private:
  /// Taps of neighbouring filter columns lie side by side in memory.
  [[nodiscard]] bool columns_join() const noexcept {
    return cols.dilation == 1 && (planes || channels == row_channels);
  }
  /// Taps that are consecutive in number and in memory: a filter row, or one filter column.
  [[nodiscard]] Count unit_taps() const noexcept {
    return (planes ? 1 : channels) * (columns_join() ? cols.filter : 1);
  }
};

}  // namespace tilewave::program
