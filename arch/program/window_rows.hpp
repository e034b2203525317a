// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/affine.hpp"
#include "sim/units.hpp"

namespace tilewave::program {

/// The input of a sliding window (convolution, pooling) that a run of output pixels needs: whole
/// rows of the input, each once, the padding left out. Output pixels are numbered image by image,
/// row by row. If windows do not meet (stride above the window's extent) only the rows under a
/// window count.
struct WindowRows {
  Span outputs;        ///< output pixels of the tile
  Count out_rows = 1;  ///< of an image
  Count out_cols = 1;
  Count in_rows = 1;    ///< of an image
  Count stride = 1;     ///< in rows
  Count padding = 0;    ///< rows above the image
  Count extent = 1;     ///< rows a window spans: (filter - 1) dilation + 1
  Bytes row_bytes = 0;  ///< of an input row that are fetched
  Bytes row_pitch_bytes = 0;
  Bytes image_pitch_bytes = 0;

  /// Input rows under the output rows [begin, end) of one image.
  [[nodiscard]] Count rows_touched(Count begin, Count end) const noexcept;
  [[nodiscard]] Bytes bytes_at(const LoopIndex& index) const noexcept;
  /// Of the first row, from the start of the tensor.
  [[nodiscard]] Bytes first_byte_at(const LoopIndex& index) const noexcept;
};

}  // namespace tilewave::program
