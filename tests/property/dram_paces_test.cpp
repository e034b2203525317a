// SPDX-License-Identifier: Apache-2.0
// A memory that runs ahead does what one in lock step does, tick for tick; and what it does depends
// on nothing but the requests.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"
#include "support/in_order_source.hpp"

#include "arch/memory/dram/dram_system.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

constexpr const char* kPresets[] = {"ddr3_2133",  "ddr4_3200",    "lpddr4x_4266", "lpddr5_6400",
                                    "gddr5_7000", "gddr5x_11000", "gddr6_14000",  "hbm_1000",
                                    "hbm2_2000",  "hbm2_2400",    "hbm2e_3200",   "hbm3_5200",
                                    "hbm3e_8000", "hbm4_8000"};

struct Request {
  DramTick think = 0;  ///< after the one before was submitted
  std::uint64_t address = 0;
  Bytes bytes = 0;
  bool write = false;
};
/// Submits its requests in order, up to `outstanding` at a time.
struct Source {
  std::vector<Request> requests;
  std::size_t outstanding = 1;
};
struct Case {
  DramParams dram;
  std::size_t requests = 16;  // that the system holds
  std::vector<Source> sources;
};

struct Outcome {
  std::vector<std::tuple<DramTick, std::uint64_t, bool>> done;  // in order: when, which, a write
  std::vector<std::vector<Count>> channels;                     // all counts
  DramTick last_data = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::vector<Count> list(const DramCounts& c) {
  std::vector<Count> counts{c.reads,    c.writes,     c.forwarded_reads, c.merged_writes,
                            c.row_hits, c.row_closed, c.row_conflicts};
  counts.insert(counts.end(), c.commands.begin(), c.commands.end());
  return counts;
}

/// All sources at once, from `start` on. Adds the bursts that were not done one by one to `skipped`.
Outcome run(const Case& c, DramPace pace, DramTick start = 0, Count* skipped = nullptr) {
  struct State {
    std::size_t next = 0, outstanding = 0;
    DramTick ready = 0;
  };
  DramSystem system(c.dram, pace, c.requests);
  std::vector<State> states(c.sources.size());
  for (std::size_t s = 0; s < states.size(); ++s) {
    states[s].ready = start + c.sources[s].requests.front().think;
  }
  const auto can_go = [&](std::size_t s) {
    const Source& source = c.sources[s];
    return system.can_submit() && states[s].next < source.requests.size() &&
           states[s].outstanding < source.outstanding;
  };
  Outcome outcome;
  for (DramTick now = start; now != kNoTick;) {
    system.advance(now);
    for (DramSystem::Completion done; system.pop_done(now, done);) {
      outcome.done.emplace_back(done.done - start, done.tag, done.write);
      --states[done.tag >> 32U].outstanding;
    }
    DramTick wake = kNoTick;
    for (std::size_t s = 0; s < states.size(); ++s) {
      State& state = states[s];
      const auto& requests = c.sources[s].requests;
      while (can_go(s) && state.ready <= now) {
        const Request& r = requests[state.next];
        system.submit(now, r.address, r.bytes, r.write, s << 32U | state.next);
        ++state.outstanding;
        if (++state.next < requests.size()) state.ready = now + requests[state.next].think;
      }
      if (can_go(s)) wake = std::min(wake, state.ready);
    }
    now = std::min(wake, system.next());
  }
  system.check_laws();
  for (std::size_t i = 0; i < system.channels(); ++i) {
    outcome.channels.push_back(list(system.channel_counts(i)));
  }
  outcome.last_data = system.last_data() - start;
  if (skipped != nullptr) *skipped += system.replayed_bursts();
  return outcome;
}

enum class Mix {
  all,      ///< of everything
  streams,  ///< long runs, a few other bursts in between: most of it can be skipped
  small     ///< runs of small requests, many in flight
};

class RandomCase {
 public:
  RandomCase(Mix mix, std::uint64_t seed) : mix_(mix), random_(seed) {}

  Case make() {
    const bool streams = mix_ != Mix::all, small = mix_ == Mix::small;
    Case c;
    c.dram = dram();
    c.requests = small ? pick(200, 2000) : pick(1, 64);
    const std::size_t sources = streams ? pick(1, 2) : pick(1, 4);
    for (std::size_t s = 0; s < sources; ++s) {
      Source source{.requests = {}, .outstanding = small ? pick(100, 2000) : pick(1, 32)};
      const std::size_t phases = streams ? pick(2, 8) : pick(1, 4);
      for (std::size_t p = 0; p < phases; ++p) {
        if (!streams || pick(0, 3) == 0) {
          add_phase(source.requests, streams ? 2000 : 400'000 / sources / phases);
        } else {
          add_run(source.requests);
        }
      }
      c.sources.push_back(std::move(source));
    }
    return c;
  }

 private:
  static constexpr Bytes kFootprint = Bytes{1} << 18U;

  std::uint64_t pick(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }
  template <typename T>
  T of(std::initializer_list<T> list) {
    return list.begin()[pick(0, list.size() - 1)];
  }

  DramParams dram() {
    using enum DramScheduler;
    using enum DramPagePolicy;
    using enum DramRefresh;
    DramParams dram = dram_preset(kPresets[pick(0, std::size(kPresets) - 1)]);
    dram.organisation.channels =
        mix_ == Mix::all ? of<Count>({1, 2, 3, 4, 8}) : of<Count>({1, 1, 1, 2, 3});
    auto& c = dram.controller;
    c.scheduler = of({fr_fcfs, fr_fcfs, ready_first, fcfs});
    c.page_policy = of({open, open, closed});
    c.refresh = of({none, none, all_bank, dram.standard.has_refresh_bank ? per_bank : all_bank});
    c.read_queue = of<Count>({3, 16, 20, 64});
    c.write_queue = of<Count>({1, 16, 20, 64});
    c.row_hit_cap = of<Count>({1, 4, 64});
    c.max_wait_cycles = of<Count>({0, 100, 2000});
    c.write_high_watermark = of({0.05, 0.5, 0.8, 1.0});
    c.write_low_watermark = of({0.01, 0.04});
    if (pick(0, 2) == 0) use_plain_map(dram);
    dram.map.interleave_bytes =
        std::max<Bytes>(dram.organisation.burst_bytes(), of<Bytes>({64, 256, 256, 1024}));
    dram.map.channel_hash = pick(0, 1) == 1;
    const auto& o = dram.organisation;
    rows_bytes_ = o.channels * o.banks_per_channel() * o.row_bytes;
    return dram;
  }

  /// One request of up to 64 KiB, or many, that follow on each other, in rows that may be open.
  void add_run(std::vector<Request>& requests) {
    const Bytes unit = of<Bytes>({1, 512, 4096});
    Bytes address = pick(0, rows_bytes_ - 1) / unit * unit;
    Bytes left = std::max(unit, pick(1 << 13, 1 << 16) / unit * unit);
    const Bytes size =
        mix_ == Mix::small ? of<Bytes>({64, 64, 256}) : of<Bytes>({left, left, 4096, 640});
    const bool write = pick(0, 2) == 0;
    for (; left > 0; left -= std::min(left, size)) {
      requests.push_back({.address = address, .bytes = std::min(left, size), .write = write});
      address += size;
    }
  }

  /// Streams, strides, random requests and repeated ones, about `bytes` in all.
  void add_phase(std::vector<Request>& requests, Bytes bytes) {
    enum Kind { kStream, kStride, kRandom, kRepeat };
    const auto kind = static_cast<Kind>(pick(kStream, kRepeat));
    const Bytes base = pick(0, 3) * kFootprint, largest = Bytes{1} << pick(0, 16);
    const Bytes fixed = pick(0, 1) == 0 ? largest : 0;  // or all kinds of sizes
    const Bytes stride = Bytes{1} << pick(6, 16);
    const auto writes_of_four = of<std::uint64_t>({0, 0, 1, 2, 4});
    const auto think = of<std::uint64_t>({0, 0, 20, 2000});
    Bytes address = base + pick(0, 1) * pick(0, 1000);
    for (std::size_t i = 0; i < 100 && bytes > 0; ++i) {
      const Bytes size = fixed > 0 ? fixed : pick(1, largest);
      if (kind == kStride) address = base + i * stride;
      if (kind == kRandom) address = pick(0, kFootprint);
      if (kind == kRepeat) address = base + i % 3 * 64;
      requests.push_back({.think = static_cast<DramTick>(think == 0 ? 0 : pick(0, 2 * think)),
                          .address = address,
                          .bytes = size,
                          .write = pick(1, 4) <= writes_of_four});
      if (kind == kStream) address += size;
      bytes -= std::min(bytes, size);
    }
  }

  Mix mix_;
  std::mt19937_64 random_;
  Bytes rows_bytes_ = 0;  // of a row of every bank
};

std::string text(const Case& c) {
  const auto& d = c.dram;
  const auto& k = d.controller;
  std::string line = fmt::format(
      "{} x{}, scheduler {}, page policy {}, refresh {}, queues {} {}, cap {}, wait {}, watermark "
      "{}, interleave {}, hash {}, {} requests",
      d.name, d.organisation.channels, static_cast<int>(k.scheduler),
      static_cast<int>(k.page_policy), static_cast<int>(k.refresh), k.read_queue, k.write_queue,
      k.row_hit_cap, k.max_wait_cycles, k.write_high_watermark, d.map.interleave_bytes,
      d.map.channel_hash, c.requests);
  for (const Source& s : c.sources) {
    line += fmt::format("\n  {} requests, {} outstanding", s.requests.size(), s.outstanding);
  }
  return line;
}

}  // namespace

TEST_CASE("running ahead is lock step: random cases", "[dram]") {
  for (const auto& [mix, seeds] :
       {std::pair{Mix::all, 250}, std::pair{Mix::streams, 500}, std::pair{Mix::small, 250}}) {
    Count skipped = 0, step_by_step = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Case c = RandomCase(mix, static_cast<std::uint64_t>(seed)).make();
      INFO("seed " << seed << ": " << text(c));
      const Outcome lock_step = run(c, DramPace::lock_step, 0, &step_by_step);
      CHECK(lock_step == run(c, DramPace::burst_by_burst, 0, &step_by_step));
      CHECK(lock_step == run(c, DramPace::run_ahead, 0, &skipped));
    }
    CHECK(step_by_step == 0);
    CHECK((mix == Mix::all || skipped > 100 * static_cast<Count>(seeds)));
  }
}

TEST_CASE("running ahead is lock step: where a stream is not what it was a period ago", "[dram]") {
  const auto memory = [](const char* preset, Count channels, Bytes interleave_bytes) {
    DramParams dram = dram_preset(preset);
    dram.organisation.channels = channels;
    dram.map.interleave_bytes = interleave_bytes;
    dram.map.channel_hash = false;
    dram.controller.refresh = DramRefresh::none;
    return dram;
  };
  const auto check = [](const DramParams& dram, const std::vector<Request>& requests) {
    const Case c{.dram = dram, .sources = {{.requests = requests, .outstanding = 16}}};
    const Outcome lock_step = run(c, DramPace::lock_step);
    CHECK(lock_step == run(c, DramPace::run_ahead));
    return lock_step;
  };
  SECTION("a read of the stream is answered from the write queue") {
    const Outcome o =
        check(memory("ddr4_3200", 1, 256), {{.address = 0, .bytes = 64 * 64},
                                            {.address = 64 * 300, .bytes = 64, .write = true},
                                            {.address = 64 * 64, .bytes = 64 * 1000}});
    CHECK(o.channels[0][2] == 1);  // forwarded
  }
  SECTION("another stream begins within the period, as it was") {
    DramParams dram = memory("ddr4_3200", 3, 1024);
    dram.controller.scheduler = DramScheduler::ready_first;
    dram.controller.read_queue = dram.controller.write_queue = 3;
    dram.controller.write_high_watermark = 0.05;
    dram.controller.write_low_watermark = 0.01;
    check(dram, {{.address = 369'280, .bytes = 193, .write = true},
                 {.address = 4096, .bytes = 3009},
                 {.address = 356'352, .bytes = 25'473}});
    DramParams longer = memory("ddr4_3200", 3, 256);
    longer.map.channel_hash = true;
    longer.controller.read_queue = 16;
    check(longer, {{.address = 113'634, .bytes = 3295},
                   {.address = 5769, .bytes = 32'568},
                   {.address = 49'697, .bytes = 27'808}});
  }
  SECTION("the period goes over from one open row to another") {
    DramParams dram = memory("gddr5_7000", 4, 256);
    dram.controller.read_queue = 8;
    use_plain_map(dram);
    dram.map.interleave_bytes = 256;
    check(dram, {{.address = 1'001'556, .bytes = 65'517}, {.address = 1'040'929, .bytes = 32'448}});
    check(memory("hbm3_5200", 1, 256),
          {{.address = 47'616, .bytes = 64'993}, {.address = 52'736, .bytes = 18'913}});
  }
  SECTION("behind its last burst the other direction enters in the same tick") {
    DramParams dram = memory("hbm_1000", 1, 256);
    dram.controller.write_queue = 1;
    dram.controller.write_high_watermark = 0.5;
    dram.controller.max_wait_cycles = 100;
    check(dram, {{.address = 786'432, .bytes = 16'353},
                 {.address = 788'480, .bytes = 65, .write = true}});
    DramParams longer = memory("gddr5_7000", 2, 256);
    longer.controller.page_policy = DramPagePolicy::closed;
    longer.controller.read_queue = 20;
    longer.controller.write_queue = 16;
    longer.controller.write_high_watermark = 0.5;
    longer.controller.write_low_watermark = 0.04;
    check(longer, {{.address = 535'753, .bytes = 1048, .write = true},
                   {.address = 525'312, .bytes = 513},
                   {.address = 526'336, .bytes = 6369},
                   {.address = 786'432, .bytes = 4097, .write = true}});
  }
}

// What a rule with a window says depends on more than the last command. If the reader refuses such
// rules, there is nothing to compare.
TEST_CASE("running ahead is lock step: RD and WR with windows", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Case c = RandomCase(Mix::streams, seed).make();
    DramFiles files(c.dram.name);
    files.standard["rules"].push_back({{"level", seed % 2 == 0 ? "rank" : "bank_group"},
                                       {"from", {"RD", "WR"}},
                                       {"to", {"RD", "RDA", "WR", "WRA"}},
                                       {"cycles", std::to_string(40 + seed)},
                                       {"window", 4 + seed % 9}});
    c.dram.rules = files.read().rules;
    if (!files.diagnostics.ok()) continue;
    INFO("seed " << seed << ": " << text(c));
    CHECK(run(c, DramPace::lock_step) == run(c, DramPace::run_ahead));
  }
}

TEST_CASE("of a long stream most is not done burst by burst", "[dram]") {
  // 64 MiB, in requests of 64 KiB, few at a time as DMA engines send them, and 16 MiB of 64 bytes.
  // What cannot be replayed is what was not seen before: the more banks and the more that refreshes
  // shift, the more.
  struct Row {
    const char* preset;
    double least_share;
  };
  for (const Row row : {Row{"ddr3_2133", 0.9}, Row{"ddr4_3200", 0.9}, Row{"lpddr5_6400", 0.88},
                        Row{"hbm2_2000", 0.5}, Row{"hbm3_5200", 0.7}}) {
    for (const Bytes request : {Bytes{1} << 16U, Bytes{64}}) {
      const Bytes bytes = Bytes{1} << (request > 64 ? 26U : 24U);
      const std::size_t outstanding = request > 64 ? 16 : 2048;
      Case c{.dram = dram_preset(row.preset),
             .requests = outstanding,
             .sources = {{.requests = {}, .outstanding = outstanding}}};
      c.dram.organisation.channels = 4;
      for (Bytes address = 0; address < bytes; address += request) {
        c.sources[0].requests.push_back({.address = address, .bytes = request});
      }
      INFO(row.preset << ", requests of " << request << " bytes");
      Count skipped = 0;
      CHECK(run(c, DramPace::lock_step) == run(c, DramPace::run_ahead, 0, &skipped));
      const auto bursts = static_cast<double>(bytes / c.dram.organisation.burst_bytes());
      CHECK(static_cast<double>(skipped) > row.least_share * bursts);
    }
  }
}

// Long enough for stretches to come again, with all that may get in their way: refreshes of both
// kinds, streams that take turns, turns of the other direction, single requests in between.
TEST_CASE("running ahead is lock step: long streams, alone and together", "[dram]") {
  enum class Kind { one, two, writes, both_directions, disturbed };
  Count skipped = 0;
  std::uint64_t seed = 0;
  for (const char* preset : kPresets) {
    for (const Kind kind :
         {Kind::one, Kind::two, Kind::writes, Kind::both_directions, Kind::disturbed}) {
      std::mt19937_64 random(++seed);
      const auto pick = [&](std::uint64_t low, std::uint64_t high) {
        return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
      };
      Case c{.dram = dram_preset(preset), .requests = 64, .sources = {}};
      c.dram.organisation.channels = pick(1, 2);
      auto& controller = c.dram.controller;
      if (seed % 3 == 0 && c.dram.standard.has_refresh_bank) {
        controller.refresh = DramRefresh::per_bank;
      }
      if (seed % 4 == 0) controller.scheduler = DramScheduler::ready_first;
      if (seed % 5 == 0) controller.page_policy = DramPagePolicy::closed;
      const std::size_t streams = kind == Kind::one || kind == Kind::writes ? 1 : 2;
      for (std::size_t s = 0; s < streams; ++s) {
        Source source{.requests = {}, .outstanding = pick(4, 8)};
        const Bytes request = Bytes{1} << pick(13, 16), length = Bytes{3} << 20U;
        Bytes address = pick(0, 1 << 28) & ~Bytes{pick(0, 1) == 0 ? 63U : 8191U};
        const bool write = kind == Kind::writes || (kind == Kind::both_directions && s == 1);
        for (Bytes sent = 0; sent < length / streams; sent += request) {
          source.requests.push_back({.address = address, .bytes = request, .write = write});
          if (kind == Kind::disturbed && pick(0, 20) == 0) {
            source.requests.push_back({.think = static_cast<DramTick>(pick(0, 3000)),
                                       .address = pick(0, 1 << 28),
                                       .bytes = pick(1, 300),
                                       .write = pick(0, 1) == 0});
          }
          address += request;
        }
        c.sources.push_back(std::move(source));
      }
      INFO("seed " << seed << ", kind " << static_cast<int>(kind) << ": " << text(c));
      CHECK(run(c, DramPace::lock_step) == run(c, DramPace::run_ahead, 0, &skipped));
    }
  }
  CHECK(skipped > 1'000'000);
}

TEST_CASE("the same requests take the same time, again and later", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Case c = RandomCase(seed % 2 == 0 ? Mix::all : Mix::streams, seed).make();
    INFO("seed " << seed << ": " << text(c));
    const auto pace = seed % 3 == 0 ? DramPace::lock_step : DramPace::run_ahead;
    const Outcome first = run(c, pace);
    CHECK(first == run(c, pace));
    c.dram.controller.refresh = DramRefresh::none;  // it has dates
    const DramTick cycle = c.dram.standard.half_cycle_precharge ? 2 : 1;
    CHECK(run(c, pace) == run(c, pace, static_cast<DramTick>(seed * seed) * cycle));
  }
}

TEST_CASE("which channel is which makes no difference", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Case c = RandomCase(Mix::all, seed).make();
    c.dram.organisation.channels = 4;
    c.dram.map.channel_hash = false;
    const Bytes block = c.dram.map.interleave_bytes;
    for (Source& source : c.sources) {  // each request on one channel
      for (Request& r : source.requests) r.bytes = std::min(r.bytes, block - r.address % block);
    }
    Case other = c;
    const std::uint64_t swap = 1 + seed % 3;
    for (Source& source : other.sources) {
      for (Request& r : source.requests) r.address ^= swap * block;
    }
    INFO("seed " << seed << ", XOR " << swap << ": " << text(c));
    const Outcome here = run(c, DramPace::run_ahead);
    Outcome there = run(other, DramPace::run_ahead);
    for (std::size_t channel = 0; channel < 4; ++channel) {
      if (channel < (channel ^ swap)) {
        std::swap(there.channels[channel], there.channels[channel ^ swap]);
      }
    }
    CHECK(here == there);
  }
}
