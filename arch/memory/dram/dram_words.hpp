// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewave {

using DramWord = std::uint16_t;

/// A state told in words: times, numbers and masks one after another.
class DramWords {
 public:
  void clear() noexcept { size_ = 0, beyond_ = 0; }
  /// Adds `count` words, to be filled in; what a word cannot hold is to be told to note().
  [[nodiscard]] DramWord* grow(std::size_t count) {
    if (words_.size() < size_ + count) words_.resize(2 * (size_ + count));
    DramWord* const added = words_.data() + size_;
    size_ += count;
    return added;
  }
  void put(std::uint64_t value) {
    *grow(1) = static_cast<DramWord>(value);
    note(value);
  }
  /// Of the values that were put: all bits of all of them.
  void note(std::uint64_t bits) noexcept { beyond_ |= bits; }
  /// Nothing was too large for a word.
  [[nodiscard]] bool complete() const noexcept { return beyond_ >> 16U == 0; }
  [[nodiscard]] std::span<const DramWord> words() const noexcept { return {words_.data(), size_}; }

 private:
  std::vector<DramWord> words_;
  std::size_t size_ = 0;
  std::uint64_t beyond_ = 0;
};

}  // namespace tilewave
