// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewave {

/// Some of the numbers below a size, one bit each: finding the few that are in it among a hundred SMs costs no look at
/// each.
class IndexSet {
 public:
  explicit IndexSet(std::size_t size) : words_((size + kBits - 1) / kBits) {}

  void insert(std::size_t i) noexcept { words_[i / kBits] |= std::uint64_t{1} << (i % kBits); }
  void erase(std::size_t i) noexcept { words_[i / kBits] &= ~(std::uint64_t{1} << (i % kBits)); }

  /// Calls visit(i) for each in ascending order. It may erase and insert: what it inserts may be visited or not.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        visit(w * kBits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
};

}  // namespace tilewave
