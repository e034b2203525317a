// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace tilewave {

/// A point or a length on the integer cycle axis of one clock domain. Interval convention: an
/// activity occupies [begin, end); an event "at cycle x" is visible from the start of cycle x.
using Cycle = std::uint64_t;
/// Bytes, 64-bit: a 65536^3 GEMM moves more than 2^32 of them.
using Bytes = std::uint64_t;
/// Multiply-accumulates, elements, actions of any kind.
using Count = std::uint64_t;

/// For products of two 64-bit numbers. A GCC and Clang extension: __extension__ quiets -Wpedantic.
__extension__ using Uint128 = unsigned __int128;

/// "No event is scheduled": later than every cycle a run can reach.
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// Smallest integer >= a / b. Requires b > 0.
template <typename T>
[[nodiscard]] constexpr T ceil_div(T a, T b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// Time in femtoseconds, the kernel's resolution. A strong type: adding it to a Cycle is an error
/// the compiler finds. 64 bits hold five hours.
struct Femtoseconds {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(Femtoseconds, Femtoseconds) = default;
  friend constexpr Femtoseconds operator+(Femtoseconds a, Femtoseconds b) noexcept {
    return {a.value + b.value};
  }
  [[nodiscard]] constexpr double seconds() const noexcept {
    return static_cast<double>(value) * 1e-15;
  }
};

/// Clock frequency as an integer number of kilohertz, so that time = cycle x period has one exact
/// value on every machine.
struct Frequency {
  std::uint64_t khz = 0;
  [[nodiscard]] static constexpr Frequency from_ghz(double ghz) noexcept {
    return {static_cast<std::uint64_t>(ghz * 1e6 + 0.5)};
  }
  [[nodiscard]] constexpr double ghz() const noexcept { return static_cast<double>(khz) * 1e-6; }
  [[nodiscard]] constexpr double hz() const noexcept { return static_cast<double>(khz) * 1e3; }
};

/// Bandwidth as an integer number of bytes per second (GB/s means 1e9).
struct Bandwidth {
  std::uint64_t bytes_per_s = 0;
  [[nodiscard]] static constexpr Bandwidth from_gb_per_s(double gb) noexcept {
    return {static_cast<std::uint64_t>(gb * 1e9 + 0.5)};
  }
  [[nodiscard]] constexpr double gb_per_s() const noexcept {
    return static_cast<double>(bytes_per_s) * 1e-9;
  }
  /// Time the link is occupied by `bytes`, rounded up to a femtosecond.
  [[nodiscard]] constexpr Femtoseconds occupancy(Bytes bytes) const noexcept {
    const auto fs = static_cast<Uint128>(bytes) * 1'000'000'000'000'000U;
    return {static_cast<std::uint64_t>((fs + bytes_per_s - 1) / bytes_per_s)};
  }
};

}  // namespace tilewave
