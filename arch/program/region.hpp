// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "arch/program/affine.hpp"
#include "arch/program/gathered_rows.hpp"
#include "arch/program/plane_pixels.hpp"
#include "arch/program/run_block.hpp"
#include "arch/program/strided_rows.hpp"
#include "arch/program/window_rows.hpp"
#include "arch/program/window_taps.hpp"

namespace tilewave::program {

/// The bytes of a tensor that an instruction moves. Every shape says how many they are and where:
/// a number of blocks of equal runs, in the order of their addresses for each repetition.
struct Region {
  using Shape = std::variant<StridedRows, WindowRows, PlanePixels, WindowTaps, GatheredRows>;
  int tensor = -1;
  Affine offset_bytes{};  ///< of the shape, from the tensor's start
  Shape shape{};

  [[nodiscard]] Bytes bytes_at(const LoopIndex& index) const noexcept;
  [[nodiscard]] Count blocks_at(const LoopIndex& index) const noexcept;
  /// The region that this one is an iteration of `loop` later.
  [[nodiscard]] Region one_later(int loop) const;
  /// Gives blocks of the kernel's grid their shares: one further in dimension `dim` is `iterations` of
  /// `loop` further.
  void spread(int loop, Count iterations, int dim);
  /// Block `number`, from the tensor's start.
  [[nodiscard]] RunBlock block_at(const LoopIndex& index, Count number) const noexcept;
};

}  // namespace tilewave::program
