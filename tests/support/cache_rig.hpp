// SPDX-License-Identifier: Apache-2.0
// A cache between a client and a memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/link_memory.hpp"

#include "arch/memory/cache/cache.hpp"

namespace tilewave::test {

/// 4 KiB: 8 sets of 4 lines of 128 bytes in sectors of 32; a bank of a line a cycle.
inline CacheParams small_cache() {
  CacheParams p;
  p.capacity_bytes = 4096;
  p.ways = 4;
  p.bank_bytes_per_cycle = 128;
  p.bank_interleave_bytes = 128;
  p.fill_bytes_per_cycle = 128;
  p.hit_latency_cycles = 10;
  p.tag_latency_cycles = 4;
  p.mshrs = 8;
  p.mshr_merges = 3;
  p.write_queue_depth = 8;
  return p;
}

inline MemoryRequest read(std::uint64_t address, Bytes bytes, CacheHint hint = CacheHint::normal) {
  return {.address = address, .bytes = bytes, .write = false, .tag = 0, .hint = hint};
}
inline MemoryRequest write(std::uint64_t address, Bytes bytes, CacheHint hint = CacheHint::normal) {
  return {.address = address, .bytes = bytes, .write = true, .tag = 0, .hint = hint};
}

/// "R 256+32": address and bytes.
inline std::string text(const MemoryRequest& r) {
  return (r.write ? "W " : "R ") + std::to_string(r.address) + "+" + std::to_string(r.bytes);
}

struct CacheRigParams {
  CacheParams cache = small_cache();
  LinkMemoryParams memory{.latency_cycles = 100};
  LinkClientParams client{.window = 1};
  std::size_t upper_depth = 16, lower_depth = 16;
  Cycle upper_latency = 2, lower_latency = 3;
  CacheRuns runs = CacheRuns::whole;
};

struct CacheRig final : CacheListener {
  explicit CacheRig(const CacheRigParams& p, std::vector<MemoryRequest> requests = {})
      : upper(p.upper_depth, p.upper_latency),
        lower(p.lower_depth, p.lower_latency),
        cache("cache", p.cache, upper, lower, group, p.runs),
        memory(lower, p.memory),
        client(upper, p.client, std::move(requests)) {
    cache.listen(*this);
  }
  void looked_up(Cycle cycle, std::uint64_t line, bool is_write, CacheOutcome outcome) override {
    look_ups.push_back({cycle, line, is_write, outcome});
  }
  /// Runs until all is answered and the cache idle; checks the laws.
  Cycle run(Stepping stepping = Stepping::events, std::uint64_t seed = 0) {
    now = run_units({&client, &cache, &memory}, now, stepping, seed);
    cache.check_laws();
    return now;
  }
  /// Runs these too; the cycles from sending the first to the last answer.
  Cycle run(std::vector<MemoryRequest> requests) {
    const std::size_t first = client.requests.size();
    client.add(std::move(requests));
    run();
    return *std::max_element(client.answered.begin() + static_cast<std::ptrdiff_t>(first),
                             client.answered.end()) -
           client.sent[first];
  }
  /// Outcomes since the last call: "miss hit merge".
  std::string outcomes() {
    std::string all;
    for (; told < look_ups.size(); ++told) {
      all += (all.empty() ? "" : " ") + std::string(to_string(look_ups[told].outcome));
    }
    return all;
  }
  /// Requests at the memory since the last call: "R 128+32, W 0+64".
  std::string below() {
    std::string all;
    for (; seen < memory.seen.size(); ++seen) {
      all += (all.empty() ? "" : ", ") + text(memory.seen[seen].request);
    }
    return all;
  }
  [[nodiscard]] const CacheStatistics& stats() const { return cache.statistics(); }

  struct LookedUp {
    Cycle cycle;
    std::uint64_t line_address;
    bool is_write;
    CacheOutcome outcome;
    friend bool operator==(const LookedUp&, const LookedUp&) = default;
  };
  StatGroup group{"test"};
  MemoryLink upper, lower;
  Cache cache;
  LinkMemory memory;
  LinkClient client;
  std::vector<LookedUp> look_ups;
  Cycle now = 1;
  std::size_t told = 0, seen = 0;
};

}  // namespace tilewave::test
