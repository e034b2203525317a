// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/cache/cache_statistics.hpp"

#include <string>

namespace tilewave {

std::string_view to_string(CacheOutcome outcome) {
  static constexpr std::array<std::string_view, kCacheOutcomes> kNames{"hit", "sector_miss", "miss",
                                                                       "merge"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view to_string(CacheStall stall) {
  static constexpr std::array<std::string_view, kCacheStalls> kNames{
      "mshr",       "merge_list", "set",           "write_queue",
      "lower_link", "bank",       "response_port", "requests"};
  return kNames[static_cast<std::size_t>(stall)];
}

void register_statistics(StatGroup& group, const CacheStatistics& s) {
  group.count("requests", "requests", "requests taken", s.requests);
  group.count("responses", "requests", "requests answered", s.responses);
  group.count("read_bytes", "bytes", "asked to read", s.read_bytes);
  group.count("write_bytes", "bytes", "asked to write", s.write_bytes);
  group.count("lookups", "lookups", "lines looked up", s.lookups);
  static constexpr std::array<const char*, kCacheOutcomes> kMeaning{
      "look-ups with all sectors there", "look-ups with the line there but not all sectors",
      "look-ups without the line", "look-ups that waited for sectors on their way"};
  for (std::size_t i = 0; i < kCacheOutcomes; ++i) {
    group.count(std::string(to_string(static_cast<CacheOutcome>(i))), "lookups", kMeaning[i],
                s.outcomes[i]);
  }
  group.count("sectors", "sectors", "sectors looked up", s.sectors);
  group.count("sector_hits", "sectors", "sectors there when looked up", s.sector_hits);
  group.count("busy_cycles", "cycles", "cycles with a look-up", s.busy_cycles);
  for (std::size_t i = 0; i < kCacheStalls; ++i) {
    const std::string name(to_string(static_cast<CacheStall>(i)));
    group.count("stall_" + name + "_cycles", "cycles", "a request waited, cause: " + name,
                s.stall_cycles[i]);
  }
  group.count("fills", "requests", "reads sent below", s.fills);
  group.count("fill_bytes", "bytes", "fetched from below", s.fill_bytes);
  group.count("evictions", "lines", "lines replaced", s.evictions);
  group.count("dirtied_bytes", "bytes", "sectors that became dirty", s.dirtied_bytes);
  group.count("write_backs", "requests", "writes of dirty sectors sent below", s.write_backs);
  group.count("write_back_bytes", "bytes", "dirty sectors sent below", s.write_back_bytes);
  group.count("writes_below", "requests", "writes sent through or around", s.writes_below);
  group.count("write_below_bytes", "bytes", "written through or around", s.write_below_bytes);
  group.count("discarded_bytes", "bytes", "dirty sectors lost by invalidation", s.discarded_bytes);
}

}  // namespace tilewave
