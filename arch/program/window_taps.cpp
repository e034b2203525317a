// SPDX-License-Identifier: Apache-2.0
#include "arch/program/window_taps.hpp"

#include <algorithm>

namespace tilewave::program {

Count WindowTaps::blocks_at(const LoopIndex& index) const noexcept {
  const Count count = taps.size_at(index);
  if (count == 0) return 0;
  const auto first = static_cast<Count>(taps.start_at(index));
  const Count units = (first + count - 1) / unit_taps() - first / unit_taps() + 1;
  return outputs.size_at(index) * units;
}

RunBlock WindowTaps::block_at(const LoopIndex& index, Count number) const noexcept {
  const auto first = static_cast<Count>(taps.start_at(index));
  const Count last = first + taps.size_at(index);  // past the end
  const Count unit_size = unit_taps();
  const Count first_unit = first / unit_size, units = (last - 1) / unit_size - first_unit + 1;
  const Count pixel = static_cast<Count>(outputs.start_at(index)) + number / units;
  const Count unit = first_unit + number % units;

  // Which filter row, column and channel the unit is.
  const Count columns = columns_join() ? 1 : cols.filter;  // units a filter row
  const Count filter_row = unit / columns % rows.filter;
  const Count filter_col = unit % columns;
  const Count channel = planes ? unit / columns / rows.filter : 0;

  const Count image = pixel / cols.out / rows.out;
  const Count y = pixel / cols.out % rows.out * rows.stride + filter_row * rows.dilation;
  const Count x = pixel % cols.out * cols.stride + filter_col * cols.dilation;  // of tap 0
  if (y < rows.padding || y >= rows.padding + rows.in) return {};

  // Columns of the unit on the image, in taps from the unit's first.
  const Count of_column = planes ? 1 : channels;
  const Count width = columns_join() ? cols.filter : 1;
  const Count left = x < cols.padding ? std::min(width, cols.padding - x) : 0;
  const Count limit = cols.padding + cols.in;
  const Count right = x >= limit ? 0 : std::min(width, limit - x);
  const Count low =
      std::max(left * of_column, first > unit * unit_size ? first - unit * unit_size : 0);
  const Count high = std::min(right * of_column, last - unit * unit_size);
  if (high <= low) return {};

  // In elements from the start of the tensor (of the group, for channels last).
  const Count column = x + low / of_column - cols.padding;
  const Count row = y - rows.padding;
  const Count at =
      planes ? ((image * row_channels + channel) * rows.in + row) * cols.in + column
             : ((image * rows.in + row) * cols.in + column) * row_channels + low % of_column;
  const Count begin = at * bits / 8, end = ceil_div((at + high - low) * bits, Count{8});
  return {.offset = begin, .run_bytes = end - begin};
}

Bytes WindowTaps::bytes_at(const LoopIndex& index) const noexcept {
  Bytes bytes = 0;
  const Count blocks = blocks_at(index);
  for (Count i = 0; i < blocks; ++i) bytes += block_at(index, i).run_bytes;
  return bytes;
}

}  // namespace tilewave::program
