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

struct Shift {
  int loop;
  void operator()(StridedRows& s) const {
    for (auto& dim : s.dims) dim.span.begin.advance(loop);
    s.row_bytes.begin.advance(loop);
  }
  void operator()(WindowRows& s) const { s.outputs.begin.advance(loop); }
  void operator()(PlanePixels& s) const {
    s.pixels.begin.advance(loop);
    s.channels.begin.advance(loop);
  }
  void operator()(GatheredRows& s) const { s.rows.begin.advance(loop); }
  void operator()(WindowTaps& s) const {
    s.outputs.begin.advance(loop);
    s.taps.begin.advance(loop);
  }
};

}  // namespace

Region Region::one_later(int loop) const {
  Region later = *this;
  later.offset_bytes.advance(loop);
  std::visit(Shift{loop}, later.shape);
  return later;
}

}  // namespace tilewave::program
