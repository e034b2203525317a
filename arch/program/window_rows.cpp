// SPDX-License-Identifier: Apache-2.0
#include "arch/program/window_rows.hpp"

#include <algorithm>

namespace tilewave::program {

Count WindowRows::rows_touched(Count begin, Count end) const noexcept {
  if (end <= begin) return 0;
  const auto clip = [this](Count top, Count length) {  // rows of [top - padding, + length) inside
    const Count low = std::max(top, padding);
    const Count high = std::min(top + length, padding + in_rows);
    return high > low ? high - low : 0;
  };
  if (windows_meet()) return clip(begin * stride, (end - 1 - begin) * stride + extent);
  // Separate windows: only those at the borders are cut.
  Count rows = (end - begin) * extent;
  for (Count o = begin; o < end && o * stride < padding; ++o) {
    rows -= extent - clip(o * stride, extent);
  }
  for (Count o = end; o > begin && (o - 1) * stride + extent > padding + in_rows; --o) {
    if ((o - 1) * stride < padding) break;  // counted above
    rows -= extent - clip((o - 1) * stride, extent);
  }
  return rows;
}

ImageSegments WindowRows::segments_at(const LoopIndex& index) const noexcept {
  const Count pixels = outputs.size_at(index);
  if (pixels == 0) return {0, 0, out_rows};
  const auto first = static_cast<Count>(outputs.start_at(index));
  const Count first_row = first / out_cols, last_row = (first + pixels - 1) / out_cols;
  return {first_row, last_row - first_row + 1, out_rows};
}

Bytes WindowRows::bytes_at(const LoopIndex& index) const noexcept {
  Count rows = 0;
  for (const ImageSegment& s : segments_at(index)) rows += s.images * rows_touched(s.begin, s.end);
  return rows * channels * row_bytes;
}

Count WindowRows::blocks_at(const LoopIndex& index) const noexcept {
  Count blocks = 0;
  for (const ImageSegment& s : segments_at(index)) blocks += blocks_of(s);
  return blocks;
}

RunBlock WindowRows::block_at(const LoopIndex& index, Count number) const noexcept {
  for (const ImageSegment& s : segments_at(index)) {
    if (number >= blocks_of(s)) {
      number -= blocks_of(s);
      continue;
    }
    const Count begin = windows_meet() ? s.begin : s.begin + number;
    const Count end = windows_meet() ? s.end : begin + 1;
    const Count top = begin * stride;
    const Count row = top > padding ? top - padding : 0;
    return {.offset = s.image * image_pitch_bytes + row * row_pitch_bytes,
            .levels = {{{s.images, image_pitch_bytes},
                        {channels, channel_pitch_bytes},
                        {rows_touched(begin, end), row_pitch_bytes}}},
            .run_bytes = row_bytes,
            .pieces = columns.empty() ? nullptr : &columns};
  }
  return {};
}

}  // namespace tilewave::program
