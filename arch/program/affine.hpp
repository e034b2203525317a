// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/units.hpp"

namespace tilewave {

/// Deepest loop nest of a block.
inline constexpr int kMaxLoops = 8;
/// Dimensions of a kernel's grid of blocks; a block's place in it follows the loops in an index.
inline constexpr int kGridDims = 3;
inline constexpr int kBlockIndex = kMaxLoops;
/// Current index of each loop, outermost first, then the place of the block in the grid.
using LoopIndex = std::array<std::int64_t, kMaxLoops + kGridDims>;

/// base + sum of index[i] * stride[i]
struct Affine {
  std::int64_t base = 0;
  std::array<std::int64_t, kMaxLoops + kGridDims> stride{};

  [[nodiscard]] static Affine constant(std::int64_t value) { return {.base = value}; }
  [[nodiscard]] static Affine of_loop(int loop, std::int64_t stride, std::int64_t base = 0) {
    Affine a{.base = base};
    a.stride[static_cast<std::size_t>(loop)] = stride;
    return a;
  }
  Affine& plus(int loop, std::int64_t step) {
    stride[static_cast<std::size_t>(loop)] += step;
    return *this;
  }
  /// A block further in dimension `dim` of the grid is `iterations` of `loop` further.
  void spread(int loop, Count iterations, int dim) {
    stride[static_cast<std::size_t>(kBlockIndex + dim)] +=
        stride[static_cast<std::size_t>(loop)] * static_cast<std::int64_t>(iterations);
  }
  /// The value an iteration of `loop` later.
  void advance(int loop) { base += stride[static_cast<std::size_t>(loop)]; }
  [[nodiscard]] std::int64_t at(const LoopIndex& index) const noexcept {
    std::int64_t value = base;
    for (std::size_t i = 0; i < stride.size(); ++i) value += stride[i] * index[i];
    return value;
  }
};

/// The part of [begin, begin + length) that lies in [low, high): a tile with its edges cut off, or
/// the input rows of a window with the padding cut off.
struct Span {
  Affine begin;
  std::int64_t length = 1;
  std::int64_t low = 0;
  std::int64_t high = 1;

  /// All of [0, extent).
  [[nodiscard]] static Span whole(Count extent) {
    const auto n = static_cast<std::int64_t>(extent);
    return {.begin = {}, .length = n, .low = 0, .high = n};
  }
  /// Tile `loop` of [0, extent) in steps of `tile`.
  [[nodiscard]] static Span tile(int loop, Count tile, Count extent) {
    const auto t = static_cast<std::int64_t>(tile);
    return {.begin = Affine::of_loop(loop, t),
            .length = t,
            .low = 0,
            .high = static_cast<std::int64_t>(extent)};
  }
  [[nodiscard]] std::int64_t start_at(const LoopIndex& index) const noexcept {
    return std::max(low, begin.at(index));
  }
  [[nodiscard]] Count size_at(const LoopIndex& index) const noexcept {
    const std::int64_t b = begin.at(index);
    return static_cast<Count>(
        std::max<std::int64_t>(0, std::min(high, b + length) - std::max(low, b)));
  }
};

}  // namespace tilewave
