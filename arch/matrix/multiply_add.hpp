// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tilewave {

/// sum + a * b as the PE's multiplier and adder do it. Integer: 32 bits, wrapping.
[[nodiscard]] constexpr std::int32_t multiply_add(std::int32_t sum, std::int32_t a,
                                                  std::int32_t b) noexcept {
  // Unsigned arithmetic wraps by definition; signed overflow would be undefined.
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                   static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

/// 16-bit operands: the product fits 32 bits, which the compiler turns into short multiplies.
[[nodiscard]] constexpr std::int32_t multiply_add(std::int32_t sum, std::int16_t a,
                                                  std::int16_t b) noexcept {
  const std::int32_t product = std::int32_t{a} * std::int32_t{b};
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                   static_cast<std::uint32_t>(product));
}

/// Floating: the product is rounded, then the sum (compile with -ffp-contract=off).
[[nodiscard]] constexpr float multiply_add(float sum, float a, float b) noexcept {
  const float product = a * b;
  return sum + product;
}

}  // namespace tilewave
