// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/input_rows.hpp"

#include "arch/program/data_type.hpp"

namespace tilewave {

program::WindowRows input_rows(const WindowAxis& height, const WindowAxis& width, Count channels,
                               Layout layout, unsigned bits) {
  const bool planes = layout == Layout::nchw;
  const Count column_elements = planes ? 1 : channels;
  const Bytes row = bytes_for(width.input * column_elements, bits);
  program::WindowRows rows{.outputs = {},
                           .out_rows = height.outputs(),
                           .out_cols = width.outputs(),
                           .in_rows = height.input,
                           .stride = height.stride,
                           .padding = height.padding,
                           .extent = height.extent(),
                           .row_pitch_bytes = row,
                           .image_pitch_bytes = row * height.input * (planes ? channels : 1),
                           .channels = planes ? channels : 1,
                           .channel_pitch_bytes = planes ? row * height.input : 0};
  for (const auto& [begin, end] : width.touched_runs()) {
    const Bytes first = begin * column_elements * bits / 8;
    const Bytes bytes = bytes_for(end * column_elements, bits) - first;
    rows.columns.push_back({first, bytes});
    rows.row_bytes += bytes;
  }
  // The usual case needs no list.
  if (rows.columns.size() <= 1 && (rows.columns.empty() || rows.columns[0].offset == 0)) {
    rows.columns.clear();
  }
  return rows;
}

}  // namespace tilewave
