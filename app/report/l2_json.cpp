// SPDX-License-Identifier: Apache-2.0
#include "app/report/l2_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/clock_domain.hpp"

namespace tilewave {

namespace {

double ratio(Count a, Count b) {
  return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0.0;
}

}  // namespace

Json l2_json(const SharedCacheCounts& c, const ChipParams& chip, Cycle cycles) {
  const double seconds = ClockDomain(chip.clock()).time_of(cycles).seconds();
  Json json = {
      {"read_bytes", c.read_bytes},
      {"write_bytes", c.write_bytes},
      {"gb_per_s", seconds > 0 ? static_cast<double>(c.moved_bytes) * 1e-9 / seconds : 0.0},
      {"utilization", ratio(c.moved_bytes, cycles * chip.l2->bytes_per_cycle())},
      {"lookups", c.lookups},
      {"hits", c.outcome(CacheOutcome::hit)},
      {"sector_misses", c.outcome(CacheOutcome::sector_miss)},
      {"misses", c.outcome(CacheOutcome::miss)},
      {"merges", c.outcome(CacheOutcome::merge)},
      {"hit_rate", ratio(c.outcome(CacheOutcome::hit), c.lookups)},
      {"fill_bytes", c.fill_bytes},
      {"write_back_bytes", c.write_back_bytes},
      {"write_through_bytes", c.write_through_bytes}};
  auto& stalls = json["stall_cycles"];
  for (std::size_t i = 0; i < kCacheStalls; ++i) {
    stalls[std::string(to_string(static_cast<CacheStall>(i)))] = c.stall_cycles[i];
  }
  return json;
}

Json interconnect_json(const SharedCacheCounts& c, Cycle cycles) {
  return {{"bytes", c.interconnect_bytes},
          {"busiest_link_utilization", ratio(c.busiest_link_cycles, cycles)}};
}

}  // namespace tilewave
