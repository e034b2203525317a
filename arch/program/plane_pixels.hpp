// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/affine.hpp"
#include "arch/program/image_segments.hpp"
#include "arch/program/run_block.hpp"

namespace tilewave::program {

/// A run of pixels of some channels where each channel of an image is a plane (NCHW). Pixels are
/// numbered image by image.
struct PlanePixels {
  Span pixels;
  Span channels;
  Count image_pixels = 1;
  unsigned bits = 8;  ///< of an element
  Bytes plane_pitch_bytes = 0;
  Bytes image_pitch_bytes = 0;

  [[nodiscard]] Bytes bytes_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] Count blocks_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] RunBlock block_at(const LoopIndex& index, Count number) const noexcept;

 private:
  [[nodiscard]] ImageSegments segments_at(const LoopIndex& index) const noexcept;
  /// Of the pixels [begin, end) of a plane; formats below a byte take whole bytes.
  [[nodiscard]] ByteRun run_of(Count begin, Count end) const noexcept;
};

}  // namespace tilewave::program
