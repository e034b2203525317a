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
/// An operand is kept "at level j" (-1: over the whole nest): its tiles of the loops deeper than j
/// stay on chip, each a stage of its slot, until the last iteration of the deeper loops that it
/// does not depend on; they are fetched in the first one. So an operand is fetched again once for
/// every iteration of the outer loops it does not depend on: traffic follows from the level alone.
/// Tiles are given back one by one, so the next ones come in while the last are still in use.
class Nest {
 public:
  explicit Nest(std::vector<NestLoop> loops) : loops_(std::move(loops)) {}

  [[nodiscard]] const std::vector<NestLoop>& loops() const noexcept { return loops_; }
  [[nodiscard]] int depth() const noexcept { return static_cast<int>(loops_.size()); }
  [[nodiscard]] const NestLoop& at(int position) const {
    return loops_[static_cast<std::size_t>(position)];
  }
  /// Position of a loop, -1 if the nest has none of that kind.
  [[nodiscard]] int position(LoopId id) const;
  [[nodiscard]] Count count(LoopId id) const;

  /// Tiles that must be on chip together.
  [[nodiscard]] Count held(LoopSet depends, int level) const;
  /// Times the whole operand is fetched from outside.
  [[nodiscard]] Count fetches(LoopSet depends, int level) const;
  /// Times each fetched tile is used.
  [[nodiscard]] Count uses(LoopSet depends, int level) const;
  /// Times a set of held tiles is replaced, the first filling included.
  [[nodiscard]] Count rounds(int level) const;

  /// The loop whose next iteration brings the next set of kept tiles, if sets can be fetched ahead:
  /// tiles are used more than once, and no other loop brings new sets. -1 otherwise.
  [[nodiscard]] int set_loop(LoopSet depends, int level) const;
  /// When a tile is fetched, and when it is given back.
  [[nodiscard]] program::Condition fetch_when(LoopSet depends, int level) const;
  [[nodiscard]] program::Condition release_when(LoopSet depends, int level) const;
  /// How many tiles of the operand were fetched before the current one.
  [[nodiscard]] Affine fetch_number(LoopSet depends, int level) const;
  /// How many iterations of the loops down to `level` came before the current one.
  [[nodiscard]] Affine rounds_before(int level) const;
  /// First and last iteration of all loops deeper than `level`.
  [[nodiscard]] program::Condition first_inside(int level) const;
  [[nodiscard]] program::Condition last_inside(int level) const;

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
