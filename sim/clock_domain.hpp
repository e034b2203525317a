// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/units.hpp"

namespace tilewave {

/// Converts between the integer cycles of one clock and time. Time is computed from the cycle,
/// never accumulated, so a period that is no whole number of femtoseconds does not drift.
class ClockDomain {
 public:
  explicit constexpr ClockDomain(Frequency frequency) noexcept : frequency_(frequency) {}

  [[nodiscard]] constexpr Frequency frequency() const noexcept { return frequency_; }

  /// Start of a cycle: ceil(cycle / frequency).
  [[nodiscard]] constexpr Femtoseconds time_of(Cycle cycle) const noexcept {
    const auto scaled = static_cast<Uint128>(cycle) * kFsPerMs;
    return {static_cast<std::uint64_t>((scaled + frequency_.khz - 1) / frequency_.khz)};
  }

  /// First cycle that starts at or after `time`; inverse of time_of on cycle starts.
  [[nodiscard]] constexpr Cycle cycle_at_or_after(Femtoseconds time) const noexcept {
    const auto scaled = static_cast<Uint128>(time.value) * frequency_.khz;
    auto cycle = static_cast<Cycle>(scaled / kFsPerMs);
    while (time_of(cycle) < time) ++cycle;
    return cycle;
  }

 private:
  static constexpr std::uint64_t kFsPerMs = 1'000'000'000'000U;  // 1 / kHz = 1 ms
  Frequency frequency_;
};

}  // namespace tilewave
