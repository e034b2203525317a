// SPDX-License-Identifier: Apache-2.0
#include "arch/program/plane_pixels.hpp"

namespace tilewave::program {

ImageSegments PlanePixels::segments_at(const LoopIndex& index) const noexcept {
  const Count count = pixels.size_at(index);
  return {count == 0 ? 0 : static_cast<Count>(pixels.start_at(index)), count, image_pixels};
}

ByteRun PlanePixels::run_of(Count begin, Count end) const noexcept {
  const Count first = begin * bits / 8, last = ceil_div(end * bits, Count{8});
  return {first, last - first};
}

Bytes PlanePixels::bytes_at(const LoopIndex& index) const noexcept {
  Bytes plane = 0;
  for (const ImageSegment& s : segments_at(index)) plane += s.images * run_of(s.begin, s.end).bytes;
  return plane * channels.size_at(index);
}

Count PlanePixels::blocks_at(const LoopIndex& index) const noexcept {
  return segments_at(index).size();
}

RunBlock PlanePixels::block_at(const LoopIndex& index, Count number) const noexcept {
  const ImageSegments segments = segments_at(index);
  const ImageSegment& s = segments[number];
  const ByteRun run = run_of(s.begin, s.end);
  const Count count = channels.size_at(index);
  const Count first = count == 0 ? 0 : static_cast<Count>(channels.start_at(index));
  return {.offset = s.image * image_pitch_bytes + first * plane_pitch_bytes + run.offset,
          .levels = {{{1, 0}, {s.images, image_pitch_bytes}, {count, plane_pitch_bytes}}},
          .run_bytes = run.bytes};
}

}  // namespace tilewave::program
