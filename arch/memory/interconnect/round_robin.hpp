// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// Round-robin arbiter: of those who ask, the first from the one after the last winner on. Whoever
/// asks wins after at most as many grants as there are others. Time per grant: a few 64-bit words.
class RoundRobin {
 public:
  /// Allocates once.
  explicit RoundRobin(std::size_t requesters = 0)
      : words_(ceil_div<std::size_t>(requesters, kBits), 0), requesters_(requesters) {}

  [[nodiscard]] bool any() const noexcept { return asking_ != 0; }
  /// Requires i < requesters, and that i does not ask already.
  void ask(std::size_t i) noexcept {
    words_[i / kBits] |= bit(i);
    ++asking_;
  }
  /// The winner, who no longer asks. Requires any().
  std::size_t grant() noexcept {
    const std::size_t winner = first_from(next_);
    words_[winner / kBits] &= ~bit(winner);
    --asking_;
    next_ = winner + 1 == requesters_ ? 0 : winner + 1;
    return winner;
  }

 private:
  static constexpr std::size_t kBits = 64;
  static std::uint64_t bit(std::size_t i) noexcept { return std::uint64_t{1} << (i % kBits); }
  [[nodiscard]] std::size_t first_from(std::size_t start) const noexcept {
    std::size_t w = start / kBits;
    std::uint64_t word = words_[w] & ~(bit(start) - 1);
    while (word == 0) {
      w = w + 1 == words_.size() ? 0 : w + 1;
      word = words_[w];
    }
    return w * kBits + static_cast<std::size_t>(std::countr_zero(word));
  }

  std::vector<std::uint64_t> words_;
  std::size_t requesters_;
  std::size_t asking_ = 0;
  std::size_t next_ = 0;
};

}  // namespace tilewave
