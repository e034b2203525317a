// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tilewave {

/// The output function of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
/// OOPSLA 2014; constants of Vigna's public-domain splitmix64.c).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

/// 64 random bits for the draw `number` of a parameter: any draw by itself, in any order.
[[nodiscard]] constexpr std::uint64_t drawn_bits(std::uint64_t seed, std::uint64_t parameter,
                                                 std::uint64_t number) {
  constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15U;  // the golden ratio's bits, its step
  const std::uint64_t stream = mixed(mixed(seed + kGamma) + (parameter + 1) * kGamma);
  return mixed(stream + (number + 1) * kGamma);
}

/// As a number from 0 to below 1.
[[nodiscard]] constexpr double drawn_share(std::uint64_t seed, std::uint64_t parameter,
                                           std::uint64_t number) {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(drawn_bits(seed, parameter, number) >> 11U) * kUnit;
}

}  // namespace tilewave
