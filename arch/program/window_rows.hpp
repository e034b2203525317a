// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/program/affine.hpp"
#include "arch/program/image_segments.hpp"
#include "arch/program/run_block.hpp"

namespace tilewave::program {

/// The input of a sliding window (convolution, pooling) that a run of output pixels needs: whole
/// rows of the input, each once, the padding left out. Output pixels are numbered image by image,
/// row by row. If windows do not meet (stride above the window's extent) only the rows under a
/// window count.
///
/// Channels last (NHWC): a row holds the pixels of all channels, `channels` is 1. Channel planes
/// (NCHW): a row of one channel, in each of `channels` planes.
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
  Count channels = 1;
  Bytes channel_pitch_bytes = 0;
  /// The bytes of a row that are fetched, row_bytes in all; empty: the first ones of the row.
  std::vector<ByteRun> columns{};

  /// Input rows under the output rows [begin, end) of one image.
  [[nodiscard]] Count rows_touched(Count begin, Count end) const noexcept;
  [[nodiscard]] Bytes bytes_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] Count blocks_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] RunBlock block_at(const LoopIndex& index, Count number) const noexcept;

 private:
  [[nodiscard]] bool windows_meet() const noexcept { return stride <= extent; }
  /// Output rows of the tile, image by image.
  [[nodiscard]] ImageSegments segments_at(const LoopIndex& index) const noexcept;
  /// Blocks of a segment: one if windows meet, else one an output row.
  [[nodiscard]] Count blocks_of(const ImageSegment& segment) const noexcept {
    return windows_meet() ? 1 : segment.end - segment.begin;
  }
};

}  // namespace tilewave::program
