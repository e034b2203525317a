// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/program/program.hpp"

namespace tilewave {

/// The loops of a tiled contraction C[g][m x n] += A[g][m x k] B[g][k x n]: over groups (or a
/// batch), blocks of m tiles, m tiles, n tiles, k tiles. The order is the mapper's choice.
enum class LoopId : std::uint8_t { group, m_block, m, n, k };
[[nodiscard]] const char* to_string(LoopId id);

/// A set of loops, or what an operand depends on.
class LoopSet {
 public:
  constexpr LoopSet() = default;
  constexpr LoopSet(std::initializer_list<LoopId> ids) {
    for (const LoopId id : ids) bits_ = static_cast<std::uint8_t>(bits_ | bit(id));
  }
  [[nodiscard]] constexpr bool has(LoopId id) const { return (bits_ & bit(id)) != 0; }

 private:
  static constexpr std::uint8_t bit(LoopId id) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(id));
  }
  std::uint8_t bits_ = 0;
};

struct NestLoop {
  LoopId id;
  Count count;
};

/// A loop nest, outermost first, and what it says about keeping operands on chip.
///
/// An operand is kept "at level j" (-1: over the whole nest): a stage of its buffer holds all its
/// tiles of the loops deeper than j. The stage is taken in the first iteration of those loops and
/// given back in the last; a tile is fetched only in the first iteration of the deeper loops that
/// it does not depend on. So it is fetched again once for every iteration of the outer loops it
/// does not depend on: reuse() and traffic follow from the level alone.
class Nest {
 public:
  explicit Nest(std::vector<NestLoop> loops) : loops_(std::move(loops)) {}

  [[nodiscard]] const std::vector<NestLoop>& loops() const noexcept { return loops_; }
  [[nodiscard]] int depth() const noexcept { return static_cast<int>(loops_.size()); }
  /// Position of a loop, -1 if the nest has none of that kind.
  [[nodiscard]] int position(LoopId id) const;
  [[nodiscard]] Count count(LoopId id) const;

  /// Tiles a stage holds.
  [[nodiscard]] Count parts(LoopSet depends, int level) const;
  /// Times the operand is fetched from outside.
  [[nodiscard]] Count fetches(LoopSet depends, int level) const;

  /// When a tile is fetched.
  [[nodiscard]] program::Condition fetch_when(LoopSet depends, int level) const;
  /// First and last iteration of the loops deeper than `level`.
  [[nodiscard]] program::Condition first_inside(int level) const;
  [[nodiscard]] program::Condition last_inside(int level) const;
  /// Number of the tile within its stage.
  [[nodiscard]] Affine part_index(LoopSet depends, int level) const;

  /// index of `id` x step, 0 if there is no such loop.
  void add(Affine& affine, LoopId id, std::int64_t step) const;
  /// "group, m, n, k" without loops of one iteration.
  [[nodiscard]] std::string order_in_words() const;
  /// The nest around `body`.
  [[nodiscard]] std::vector<program::Node> wrap(std::vector<program::Node> body) const;

 private:
  std::vector<NestLoop> loops_;
};

}  // namespace tilewave
