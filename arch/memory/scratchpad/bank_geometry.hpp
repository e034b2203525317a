// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "arch/memory/scratchpad/scratchpad_params.hpp"

namespace tilewave {

/// Where a byte of a scratchpad lies. A word is the unit of a bank's access, a row the words of the
/// same place in all banks.
class BankGeometry {
 public:
  explicit BankGeometry(const ScratchpadParams& params) : params_(params) {
    check_scratchpad(params);
    word_ = Divisor(params.bank_word_bytes);
    banks_ = Divisor(params.banks);
  }

  [[nodiscard]] std::uint64_t word_of(std::uint64_t address) const noexcept {
    return word_.quotient(address);
  }
  [[nodiscard]] Count bank_of_word(std::uint64_t word) const noexcept {
    switch (params_.interleaving) {
      case BankInterleaving::word:
        break;
      case BankInterleaving::blocked:
        return word / words_per_bank();
      case BankInterleaving::xor_swizzled:
        return banks_.remainder(word) ^ swizzle_of(banks_.quotient(word));
    }
    return banks_.remainder(word);
  }
  [[nodiscard]] Count bank_of(std::uint64_t address) const noexcept {
    return bank_of_word(word_of(address));
  }
  /// What a row of a swizzled scratchpad is exclusive-ored with.
  [[nodiscard]] Count swizzle_of(std::uint64_t row) const noexcept {
    const auto& s = params_.swizzle;
    return ((row >> s.row_shift) & ((Count{1} << s.bits) - 1)) << s.bank_shift;
  }

  /// Of a bank, if its capacity is stated.
  [[nodiscard]] Count words_per_bank() const noexcept {
    return params_.bank_bytes / params_.bank_word_bytes;
  }
  /// All of the scratchpad, 0 if not stated.
  [[nodiscard]] Bytes capacity_bytes() const noexcept { return params_.banks * params_.bank_bytes; }
  /// Bytes after which the banks repeat (interleaved banks).
  [[nodiscard]] Bytes period_bytes() const noexcept {
    const Bytes row = params_.banks * params_.bank_word_bytes;
    return params_.interleaving == BankInterleaving::xor_swizzled
               ? row << (params_.swizzle.row_shift + params_.swizzle.bits)
               : row;
  }
  [[nodiscard]] const ScratchpadParams& params() const noexcept { return params_; }

 private:
  /// Divides by shifting where it can: divisions are most of the work of counting words.
  class Divisor {
   public:
    Divisor() = default;
    explicit Divisor(std::uint64_t value)
        : value_(value), shift_(std::has_single_bit(value) ? std::countr_zero(value) : -1) {}
    [[nodiscard]] std::uint64_t quotient(std::uint64_t x) const noexcept {
      return shift_ >= 0 ? x >> shift_ : x / value_;
    }
    [[nodiscard]] std::uint64_t remainder(std::uint64_t x) const noexcept {
      return shift_ >= 0 ? x & (value_ - 1) : x % value_;
    }

   private:
    std::uint64_t value_ = 1;
    int shift_ = 0;
  };
  ScratchpadParams params_;
  Divisor word_, banks_;
};

}  // namespace tilewave
