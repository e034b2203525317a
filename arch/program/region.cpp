// SPDX-License-Identifier: Apache-2.0
#include "arch/program/region.hpp"

namespace tilewave::program {

Bytes Region::bytes_at(const LoopIndex& index) const noexcept {
  return std::visit([&](const auto& s) { return s.bytes_at(index); }, shape);
}

Count Region::blocks_at(const LoopIndex& index) const noexcept {
  return std::visit([&](const auto& s) { return s.blocks_at(index); }, shape);
}

RunBlock Region::block_at(const LoopIndex& index, Count number) const noexcept {
  RunBlock block = std::visit([&](const auto& s) { return s.block_at(index, number); }, shape);
  block.offset += static_cast<std::uint64_t>(offset_bytes.at(index));
  return block;
}

namespace {

/// Calls `change` for each affine that says where the bytes are.
template <typename Change>
void for_each_affine(Region& region, Change change) {
  struct Visitor {
    Change& change;
    void operator()(StridedRows& s) {
      for (auto& dim : s.dims) change(dim.span.begin);
      change(s.row_bytes.begin);
    }
    void operator()(WindowRows& s) { change(s.outputs.begin); }
    void operator()(PlanePixels& s) {
      change(s.pixels.begin);
      change(s.channels.begin);
    }
    void operator()(GatheredRows& s) { change(s.rows.begin); }
    void operator()(WindowTaps& s) {
      change(s.outputs.begin);
      change(s.taps.begin);
    }
  };
  change(region.offset_bytes);
  std::visit(Visitor{change}, region.shape);
}

}  // namespace

Region Region::one_later(int loop) const {
  Region later = *this;
  for_each_affine(later, [loop](Affine& a) { a.advance(loop); });
  return later;
}

void Region::spread(int loop, Count iterations, int dim) {
  for_each_affine(*this, [&](Affine& a) { a.spread(loop, iterations, dim); });
}

}  // namespace tilewave::program
