// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewave {

/// A bit a bank, in words, so that those set are found without looking at the others.
class BankMask {
 public:
  void resize(std::size_t banks) { words_.assign((banks + 63) / 64, 0); }

  [[nodiscard]] bool test(std::size_t bank) const noexcept {
    return (words_[bank >> 6U] >> (bank & 63U) & 1U) != 0;
  }
  void set(std::size_t bank) noexcept { words_[bank >> 6U] |= std::uint64_t{1} << (bank & 63U); }
  void clear(std::size_t bank) noexcept {
    words_[bank >> 6U] &= ~(std::uint64_t{1} << (bank & 63U));
  }

  [[nodiscard]] std::size_t words() const noexcept { return words_.size(); }
  [[nodiscard]] std::uint64_t operator[](std::size_t word) const noexcept { return words_[word]; }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace tilewave
