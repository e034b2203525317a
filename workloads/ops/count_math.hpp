// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "sim/config/values.hpp"
#include "sim/units.hpp"

/// Products and sums of counts that stop at kMaxCount (2^63 - 1) instead of wrapping, so that a
/// size too large for 64 bits is seen and reported, not silently turned into a small one.
namespace tilewave {

__extension__ using WideCount = unsigned __int128;

[[nodiscard]] constexpr Count saturated(WideCount value) noexcept {
  return value > kMaxCount ? kMaxCount : static_cast<Count>(value);
}
[[nodiscard]] constexpr Count product(std::initializer_list<Count> factors) noexcept {
  // A zero anywhere gives zero, also after a saturated part.
  for (const Count f : factors) {
    if (f == 0) return 0;
  }
  Count result = 1;
  for (const Count f : factors) result = saturated(WideCount{result} * f);
  return result;
}
[[nodiscard]] constexpr Count sum(std::initializer_list<Count> terms) noexcept {
  WideCount result = 0;
  for (const Count t : terms) result += t;
  return saturated(result);
}
/// bytes_for() without wrapping.
[[nodiscard]] constexpr Bytes storage_bytes(Count elements, unsigned bits) noexcept {
  return saturated((WideCount{elements} * bits + 7) / 8);
}

}  // namespace tilewave
