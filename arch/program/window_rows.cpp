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
  if (stride <= extent) return clip(begin * stride, (end - 1 - begin) * stride + extent);
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

Bytes WindowRows::bytes_at(const LoopIndex& index) const noexcept {
  const Count pixels = outputs.size_at(index);
  if (pixels == 0) return 0;
  const auto first = static_cast<Count>(outputs.start_at(index));
  const Count first_row = first / out_cols, last_row = (first + pixels - 1) / out_cols;
  const Count first_image = first_row / out_rows, last_image = last_row / out_rows;
  Count rows = 0;
  if (first_image == last_image) {
    rows = rows_touched(first_row % out_rows, last_row % out_rows + 1);
  } else {
    rows = rows_touched(first_row % out_rows, out_rows) +
           (last_image - first_image - 1) * rows_touched(0, out_rows) +
           rows_touched(0, last_row % out_rows + 1);
  }
  return rows * row_bytes;
}

Bytes WindowRows::first_byte_at(const LoopIndex& index) const noexcept {
  const Count row = static_cast<Count>(outputs.start_at(index)) / out_cols;
  const Count top = row % out_rows * stride;
  return row / out_rows * image_pitch_bytes + (top > padding ? top - padding : 0) * row_pitch_bytes;
}

}  // namespace tilewave::program
