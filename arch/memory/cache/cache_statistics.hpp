// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/statistics.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// What the tags held when a line was looked up, for the sectors asked.
enum class CacheOutcome : std::uint8_t {
  hit,          ///< all were there
  sector_miss,  ///< the line was, and at least one sector was neither there nor on its way
  miss,         ///< the line was not
  merge         ///< none was missing, at least one was still on its way
};
inline constexpr std::size_t kCacheOutcomes = 4;
[[nodiscard]] std::string_view to_string(CacheOutcome outcome);

/// Why a request waits in front of the tags.
enum class CacheStall : std::uint8_t {
  mshr,           ///< no MSHR is free, or the line is on its way past the cache
  merge_list,     ///< the line's MSHR takes no more look-ups
  set,            ///< all ways of the set wait for fills
  write_queue,    ///< no place for a dirty line or a write to go below
  lower_link,     ///< one of these, because the link below takes nothing
  bank,           ///< a data bank is busy
  response_port,  ///< as many requests are under way as can be, and responses are held back
  requests        ///< as many requests are under way as can be
};
inline constexpr std::size_t kCacheStalls = 8;
[[nodiscard]] std::string_view to_string(CacheStall stall);

/// Raw counts of a cache, for its whole life.
struct CacheStatistics {
  Count requests = 0, responses = 0;
  Bytes read_bytes = 0, write_bytes = 0;  ///< asked for
  Bytes answered_bytes = 0;               ///< of reads and writes

  Count lookups = 0;
  std::array<Count, kCacheOutcomes> outcomes{};
  Count sectors = 0, sector_hits = 0;  ///< asked for; there at the look-up
  Cycle busy_cycles = 0;               ///< with at least one look-up
  std::array<Cycle, kCacheStalls> stall_cycles{};

  Count fills = 0, fills_received = 0;
  Bytes fill_bytes = 0, fill_bytes_received = 0;
  Count evictions = 0;      ///< lines replaced
  Bytes dirtied_bytes = 0;  ///< of sectors that became dirty
  Count write_backs = 0;    ///< requests
  Bytes write_back_bytes = 0;
  Count writes_below = 0;  ///< written through, or around
  Bytes write_below_bytes = 0;
  Count write_acks = 0;       ///< of both kinds
  Bytes discarded_bytes = 0;  ///< dirty when invalidated

  [[nodiscard]] Count outcome(CacheOutcome o) const noexcept {
    return outcomes[static_cast<std::size_t>(o)];
  }
  [[nodiscard]] Cycle stalled(CacheStall s) const noexcept {
    return stall_cycles[static_cast<std::size_t>(s)];
  }
};

/// Registers all counts; `statistics` must outlive the group.
void register_statistics(StatGroup& group, const CacheStatistics& statistics);

}  // namespace tilewave
