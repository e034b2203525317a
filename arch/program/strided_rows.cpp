// SPDX-License-Identifier: Apache-2.0
#include "arch/program/strided_rows.hpp"

namespace tilewave::program {

Bytes StridedRows::bytes_at(const LoopIndex& index) const noexcept {
  Bytes bytes = row_bytes.size_at(index);
  for (const Dim& dim : dims) bytes *= dim.span.size_at(index);
  return bytes;
}

RunBlock StridedRows::block_at(const LoopIndex& index, Count) const noexcept {
  RunBlock block;
  block.run_bytes = row_bytes.size_at(index);
  // A packed tile lies at the start of its place, whatever it is a tile of.
  const bool packed = !dims.empty() && dims.back().pitch_bytes == 0;
  std::int64_t offset = packed ? 0 : row_bytes.start_at(index);
  Bytes inner = block.run_bytes;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const Count count = dims[i].span.size_at(index);
    const bool follows = dims[i].pitch_bytes == 0;
    auto& level = block.levels[kRunLevels - dims.size() + i];
    level = {count, follows ? inner : dims[i].pitch_bytes};
    if (!follows)
      offset += dims[i].span.start_at(index) * static_cast<std::int64_t>(level.pitch_bytes);
    inner = level.pitch_bytes * count;
  }
  block.offset = static_cast<std::uint64_t>(offset);
  return block;
}

}  // namespace tilewave::program
