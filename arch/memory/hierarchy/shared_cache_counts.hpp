// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "arch/memory/cache/cache_statistics.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// What a shared cache and its interconnect did in a stretch of time, all slices together.
struct SharedCacheCounts {
  Bytes read_bytes = 0, write_bytes = 0;  ///< requests of the client that were answered
  Bytes asked_bytes = 0;                  ///< of the slices, reads and writes
  /// Bytes that the slices answered, each when its turn in the banks' width is: never above it.
  Bytes moved_bytes = 0;
  Count lookups = 0;
  std::array<Count, kCacheOutcomes> outcomes{};
  std::array<Cycle, kCacheStalls> stall_cycles{};
  Bytes fill_bytes = 0;           ///< asked of the memory
  Bytes write_back_bytes = 0;     ///< dirty sectors given to the memory
  Bytes write_through_bytes = 0;  ///< writes through or around, given to the memory
  Bytes memory_read_bytes = 0, memory_write_bytes = 0;  ///< that the memory answered
  Bytes interconnect_bytes = 0;   ///< requests and responses, headers included
  Count byte_hops = 0;            ///< of the interconnect
  Cycle busiest_link_cycles = 0;  ///< in use, of the interconnect's link with the most

  [[nodiscard]] Count outcome(CacheOutcome o) const noexcept {
    return outcomes[static_cast<std::size_t>(o)];
  }
  /// Of counters that only grow: what came since. Not moved_bytes and busiest_link_cycles, which
  /// are no differences.
  SharedCacheCounts& operator-=(const SharedCacheCounts& earlier) noexcept;
  SharedCacheCounts& operator+=(const SharedCacheCounts& other) noexcept;
};

}  // namespace tilewave
