// SPDX-License-Identifier: Apache-2.0
// Caches of random geometry under random requests: against an oracle without timing, against
// themselves under other stepping, back-pressure and neighbours, and their laws.
#include <algorithm>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/cache_rig.hpp"
#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using Requests = std::vector<MemoryRequest>;

class RandomCache {
 public:
  explicit RandomCache(std::uint64_t seed) : random_(seed) {}

  Count pick(Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random_);
  }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + pick(0, values.size() - 1));
  }
  bool chance(unsigned percent) { return pick(1, 100) <= percent; }

  CacheParams cache() {
    CacheParams p;
    p.line_bytes = Bytes{1} << pick(4, 8);
    p.sector_bytes = std::max<Bytes>(p.line_bytes >> pick(0, 3), 4);
    p.ways = pick(1, 8);
    p.capacity_bytes = p.line_bytes * p.ways * pick(1, 12);
    p.write_policy = one_of({CacheWritePolicy::write_back, CacheWritePolicy::write_back,
                             CacheWritePolicy::write_through});
    p.write_allocate = chance(70);
    p.ports = pick(1, 3);
    p.banks = pick(1, 5);
    p.bank_bytes_per_cycle = one_of<Bytes>({4, 12, 32, 64});
    p.bank_interleave_bytes = std::min(p.line_bytes, p.sector_bytes << pick(0, 2));
    p.fill_bytes_per_cycle = one_of<Bytes>({8, 32, 100});
    p.hit_latency_cycles = pick(1, 30);
    p.tag_latency_cycles = pick(1, p.hit_latency_cycles);
    p.mshrs = pick(1, 8);
    p.mshr_merges = pick(0, 4);
    p.hit_under_miss = chance(50);
    p.write_queue_depth = pick(ceil_div(p.sectors_per_line(), Count{2}), 8);
    return p;
  }
  CacheRigParams rig() {
    CacheRigParams p;
    p.cache = cache();
    p.cache.replacement = one_of({CacheReplacement::lru, CacheReplacement::random});
    p.memory = {.latency_cycles = pick(1, 60),
                .bytes_per_cycle = one_of<Bytes>({0, 8, 64}),
                .depth = pick(1, 20)};
    p.client = {.window = pick(1, 20), .per_cycle = pick(1, 3)};
    p.upper_depth = pick(1, 8);
    p.lower_depth = pick(1, 8);
    p.upper_latency = pick(1, 4);
    p.lower_latency = pick(1, 4);
    return p;
  }
  void add_back_pressure(CacheRigParams& p) {
    p.memory.refuse_percent = static_cast<unsigned>(pick(0, 80));
    p.client.refuse_percent = static_cast<unsigned>(pick(0, 80));
    p.memory.seed = p.client.seed = pick(0, 1000);
  }
  /// Within three times the capacity, with runs of neighbours; up to `max_lines` lines each.
  Requests requests(const CacheParams& p, Count count, Count max_lines, bool hints) {
    Requests all;
    std::uint64_t address = 0;
    for (Count i = 0; i < count; ++i) {
      if (chance(60)) address = pick(0, 3 * p.capacity_bytes);
      const Bytes left = p.line_bytes - address % p.line_bytes;
      const Bytes most = left + (max_lines - 1) * p.line_bytes;
      Bytes bytes = chance(50) ? std::min(most, p.sector_bytes) : pick(1, most);
      if (chance(30)) {  // whole sectors
        address -= address % p.sector_bytes;
        bytes = p.sector_bytes;
      }
      const auto hint = !hints || chance(60) ? CacheHint::normal
                        : chance(50)         ? CacheHint::streaming
                                             : CacheHint::no_allocate;
      all.push_back(
          {.address = address, .bytes = bytes, .write = chance(40), .tag = 0, .hint = hint});
      address += bytes;
    }
    return all;
  }

 private:
  std::mt19937_64 random_;
};

/// A cache without timing: sets of lines, the last used first.
class Oracle {
 public:
  explicit Oracle(const CacheParams& p) : p_(p) {}

  /// Outcomes of the request's lines; never `merge`.
  void access(const MemoryRequest& r, std::vector<CacheOutcome>& outcomes) {
    std::uint64_t at = r.address;
    for (const std::uint64_t end = r.address + r.bytes; at < end;) {
      const std::uint64_t next = std::min(end, (at / p_.line_bytes + 1) * p_.line_bytes);
      outcomes.push_back(access_line(r, at, next));
      at = next;
    }
  }
  Bytes fill_bytes = 0, write_back_bytes = 0, below_bytes = 0;

 private:
  struct Line {
    std::uint64_t number;
    std::map<std::uint64_t, bool> dirty;  // by valid sector
  };
  CacheOutcome access_line(const MemoryRequest& r, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t number = begin / p_.line_bytes;
    auto& set = sets_[number % (p_.capacity_bytes / p_.line_bytes / p_.ways)];
    auto line =
        std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.number == number; });
    const bool found = line != set.end();
    const bool back = p_.write_policy == CacheWritePolicy::write_back;
    std::uint64_t missing = 0, whole_missing = 0, whole = 0;
    for_sectors(begin, end, [&](std::uint64_t sector, bool all) {
      const bool there = found && line->dirty.contains(sector);
      missing += there ? 0 : 1;
      whole += all ? 1 : 0;
      whole_missing += !there && all ? 1 : 0;
    });
    const auto outcome = !found         ? CacheOutcome::miss
                         : missing != 0 ? CacheOutcome::sector_miss
                                        : CacheOutcome::hit;
    bool keeps = found || r.hint != CacheHint::no_allocate;
    if (r.write && !found) keeps = keeps && p_.write_allocate && (back || whole > 0);
    if (r.write && (!back || !keeps)) below_bytes += end - begin;
    if (!r.write) fill_bytes += missing * p_.sector_bytes;
    if (r.write && back && keeps) fill_bytes += (missing - whole_missing) * p_.sector_bytes;
    if (!keeps) return outcome;
    if (!found) {
      if (set.size() == p_.ways) {
        for (const auto& [sector, dirty] : set.back().dirty) {
          write_back_bytes += dirty ? p_.sector_bytes : 0;
        }
        set.pop_back();
      }
      const bool last = r.hint == CacheHint::streaming;
      line = set.insert(last ? set.end() : set.begin(), Line{number, {}});
    } else if (r.hint == CacheHint::normal) {
      set.splice(set.begin(), set, line);
    }
    for_sectors(begin, end, [&](std::uint64_t sector, bool all) {
      if (!r.write || back || all || line->dirty.contains(sector)) {
        if (!r.write || back || all) line->dirty.try_emplace(sector, false);
        if (r.write && back) line->dirty[sector] = true;
      }
    });
    return outcome;
  }
  template <typename Each>
  void for_sectors(std::uint64_t begin, std::uint64_t end, Each&& each) const {
    for (std::uint64_t s = begin / p_.sector_bytes; s * p_.sector_bytes < end; ++s) {
      each(s, begin <= s * p_.sector_bytes && (s + 1) * p_.sector_bytes <= end);
    }
  }
  CacheParams p_;
  std::map<std::uint64_t, std::list<Line>> sets_;
};

/// What the cache found, with what was on its way counted as there.
std::vector<CacheOutcome> outcomes_of(const CacheRig& rig) {
  std::vector<CacheOutcome> all;
  for (const auto& l : rig.look_ups) {
    all.push_back(l.outcome == CacheOutcome::merge ? CacheOutcome::hit : l.outcome);
  }
  return all;
}

void check_against_oracle(CacheRigParams params, const Requests& requests) {
  params.cache.replacement = CacheReplacement::lru;
  params.cache.hit_under_miss = false;
  CacheRig rig(params, requests);
  rig.run();
  Oracle oracle(params.cache);
  std::vector<CacheOutcome> expected;
  for (const auto& r : requests) oracle.access(r, expected);
  REQUIRE(outcomes_of(rig) == expected);
  REQUIRE(rig.stats().fill_bytes == oracle.fill_bytes);
  REQUIRE(rig.stats().write_back_bytes == oracle.write_back_bytes);
  REQUIRE(rig.stats().write_below_bytes == oracle.below_bytes);
}

// A line that waits for its fill cannot go; the oracle knows no such thing. It does not happen while
// fewer lines than ways are under way, for those are the ones used last.
TEST_CASE("in order, with fewer lines under way than ways, a cache finds what the oracle does",
          "[cache]") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    RandomCache random(seed);
    CacheRigParams params = random.rig();
    const Count lines = random.pick(1, params.cache.ways);
    params.client.window = params.cache.ways / lines;
    random.add_back_pressure(params);
    check_against_oracle(params, random.requests(params.cache, 150, lines, false));
  }
}

TEST_CASE("one request at a time, of one line, it does so with hints too", "[cache]") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    RandomCache random(seed);
    CacheRigParams params = random.rig();
    params.client.window = 1;
    check_against_oracle(params, random.requests(params.cache, 150, 1, true));
  }
}

/// All that can be told of a run.
struct Told {
  std::vector<Cycle> sent, answered;
  std::vector<CacheRig::LookedUp> look_ups;
  std::vector<std::pair<Cycle, std::string>> below;
  std::string statistics;
  Cycle end = 0;
  friend bool operator==(const Told&, const Told&) = default;
};

Told run_told(const CacheRigParams& params, const Requests& requests,
              Stepping stepping = Stepping::events, std::uint64_t seed = 0) {
  CacheRig rig(params, requests);
  rig.run(stepping, seed);
  rig.cache.flush();
  Told told;
  told.end = rig.run(stepping, seed);
  told.sent = rig.client.sent;
  told.answered = rig.client.answered;
  told.look_ups = rig.look_ups;
  for (const auto& s : rig.memory.seen) told.below.emplace_back(s.cycle, text(s.request));
  told.statistics = rig.group.to_json().dump();
  return told;
}

TEST_CASE("it does not matter when, how often and in which order units are stepped", "[cache]") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    INFO("seed " << seed);
    RandomCache random(1000 + seed);
    CacheRigParams params = random.rig();
    if (random.chance(60)) random.add_back_pressure(params);
    const Requests requests = random.requests(params.cache, 100, 4, true);
    const Told told = run_told(params, requests);
    REQUIRE(run_told(params, requests) == told);  // nor is there anything else
    REQUIRE(run_told(params, requests, Stepping::every_cycle) == told);
    REQUIRE(run_told(params, requests, Stepping::shuffled, seed) == told);
    REQUIRE(run_told(params, requests, Stepping::shuffled, ~seed) == told);
  }
}

TEST_CASE("runs served as a whole equal runs served line by line", "[cache]") {
  Count run_ahead = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    RandomCache random(2000 + seed);
    CacheRigParams params = random.rig();
    params.cache.capacity_bytes *= random.pick(1, 4);
    if (random.chance(50)) random.add_back_pressure(params);
    Requests requests = random.requests(params.cache, 60, random.pick(2, 12), true);
    for (std::size_t i = 30; i < 60; ++i) {  // again what was read already
      requests[i] = requests[random.pick(i - 10, i - 1)];
    }
    const Told whole = run_told(params, requests);
    params.runs = CacheRuns::line_by_line;
    REQUIRE(run_told(params, requests) == whole);
    for (std::size_t i = 1; i < whole.look_ups.size(); ++i) {
      const auto &a = whole.look_ups[i - 1], &b = whole.look_ups[i];
      run_ahead += a.outcome == CacheOutcome::hit && b.outcome == CacheOutcome::hit &&
                           b.line_address == a.line_address + params.cache.line_bytes
                       ? 1
                       : 0;
    }
  }
  CHECK(run_ahead > 1500);  // the cases are about what they are to be about
}

TEST_CASE("blocking and in order, back-pressure changes times only", "[cache]") {
  Count later = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    RandomCache random(3000 + seed);
    CacheRigParams params = random.rig();
    params.cache.mshrs = 1;  // so that a line to be replaced never waits for a fill
    params.cache.mshr_merges = 0;
    params.cache.hit_under_miss = false;
    const Requests requests = random.requests(params.cache, 120, 3, true);
    CacheRig free(params, requests);
    const Cycle free_end = free.run();
    random.add_back_pressure(params);
    params.lower_depth = random.pick(1, 3);
    CacheRig pressed(params, requests);
    later += pressed.run() > free_end ? 1U : 0U;
    REQUIRE(outcomes_of(pressed) == outcomes_of(free));
    REQUIRE(pressed.stats().fill_bytes == free.stats().fill_bytes);
    REQUIRE(pressed.stats().write_back_bytes == free.stats().write_back_bytes);
    REQUIRE(pressed.cache.dirty_bytes() == free.cache.dirty_bytes());
  }
  CHECK(later > 70);
}

TEST_CASE("laws hold at every cycle, and what goes below adds up", "[cache]") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    INFO("seed " << seed);
    RandomCache random(4000 + seed);
    CacheRigParams params = random.rig();
    random.add_back_pressure(params);
    const Requests requests = random.requests(params.cache, 80, 4, true);
    CacheRig rig(params, requests);
    Cycle now = 1;
    for (; !rig.client.idle() || !rig.cache.idle(); ++now) {
      REQUIRE(now < 1'000'000);
      for (MemoryUnit* unit :
           {static_cast<MemoryUnit*>(&rig.client), static_cast<MemoryUnit*>(&rig.cache),
            static_cast<MemoryUnit*>(&rig.memory)}) {
        unit->step(now);
      }
      rig.cache.check_laws();
    }
    const auto& s = rig.stats();
    Bytes read = 0, written = 0, asked = 0;
    for (const auto& seen : rig.memory.seen) {
      (seen.request.write ? written : read) += seen.request.bytes;
      REQUIRE(seen.request.address / params.cache.line_bytes ==
              (seen.request.address + seen.request.bytes - 1) / params.cache.line_bytes);
    }
    for (const auto& r : requests) asked += r.bytes;
    CHECK(read == s.fill_bytes);
    CHECK(written == s.write_back_bytes + s.write_below_bytes);
    CHECK(s.answered_bytes == asked);
    CHECK(s.responses == requests.size());
    Cycle waited = s.busy_cycles;
    for (const Cycle c : s.stall_cycles) waited += c;
    CHECK(waited <= now);
    CHECK(s.busy_cycles * params.cache.ports >= s.lookups);
  }
}

TEST_CASE("a fetched sector was written below since it was last written above", "[cache]") {
  Count fetches = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    RandomCache random(5000 + seed);
    CacheRigParams params = random.rig();
    params.cache.hit_under_miss = false;
    random.add_back_pressure(params);
    params.lower_depth = 1;
    // Requests of one sector each: the look-ups come in their order.
    Requests requests = random.requests(params.cache, 200, 1, false);
    for (auto& r : requests) {
      const Bytes left = params.cache.sector_bytes - r.address % params.cache.sector_bytes;
      r.bytes = std::min(r.bytes, left);
    }
    CacheRig rig(params, requests);
    rig.run();
    REQUIRE(rig.look_ups.size() == requests.size());
    const auto sector_of = [&](std::uint64_t a) { return a / params.cache.sector_bytes; };
    std::map<std::uint64_t, Cycle> written_above;
    std::map<std::uint64_t, std::size_t> next_below;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const std::uint64_t sector = sector_of(requests[i].address);
      const auto& look_up = rig.look_ups[i];
      const bool missed =
          look_up.outcome == CacheOutcome::miss || look_up.outcome == CacheOutcome::sector_miss;
      const auto written = written_above.find(sector);
      if (missed && !requests[i].write && written != written_above.end()) {
        // The read below, and a write of the sector between.
        bool written_below = false, found = false;
        for (const auto& seen : rig.memory.seen) {
          const bool same = sector_of(seen.request.address) <= sector &&
                            sector < sector_of(seen.request.address + seen.request.bytes - 1) + 1;
          if (!same || seen.cycle <= written->second) continue;
          if (seen.request.write) written_below = true;
          if (!seen.request.write && seen.cycle > look_up.cycle) {
            found = true;
            break;
          }
        }
        REQUIRE(found);
        REQUIRE(written_below);
        ++fetches;
      }
      if (requests[i].write) written_above[sector] = look_up.cycle;
    }
  }
  CHECK(fetches > 500);
}

TEST_CASE("a first-level cache in front of a second-level one, stepped in any order", "[cache]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    RandomCache random(6000 + seed);
    const CacheRigParams first = random.rig();
    CacheParams second = random.cache();
    second.capacity_bytes *= 4;
    const Requests requests = random.requests(first.cache, 100, 3, true);
    const auto run_chain = [&](Stepping stepping) {
      MemoryLink top(first.upper_depth, first.upper_latency), middle(3, 2),
          bottom(first.lower_depth, first.lower_latency);
      StatGroup group("test");
      Cache l1("l1", first.cache, top, middle, group), l2("l2", second, middle, bottom, group);
      LinkMemory memory(bottom, first.memory);
      LinkClient client(top, first.client, requests);
      const Cycle end = run_units({&client, &l1, &l2, &memory}, 1, stepping, seed);
      l1.check_laws();
      l2.check_laws();
      const auto &s1 = l1.statistics(), &s2 = l2.statistics();
      REQUIRE(s2.read_bytes == s1.fill_bytes);
      REQUIRE(s2.write_bytes == s1.write_back_bytes + s1.write_below_bytes);
      return std::tuple(end, client.answered, group.to_json().dump());
    };
    const auto told = run_chain(Stepping::events);
    REQUIRE(run_chain(Stepping::every_cycle) == told);
    REQUIRE(run_chain(Stepping::shuffled) == told);
  }
}

}  // namespace
}  // namespace tilewave::test
