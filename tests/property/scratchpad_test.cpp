// SPDX-License-Identifier: Apache-2.0
// Closed forms of bank conflicts are what counting says; streams that share banks end when the
// cycle-by-cycle model says, and that model does what a plain list of words in each bank would do.
#include "arch/memory/scratchpad/scratchpad.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/scratchpad/bank_conflicts.hpp"
#include "arch/memory/scratchpad/shared_streams.hpp"

namespace tilewave::test {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + engine_() % (high - low + 1);
  }
  bool chance(unsigned percent) { return between(1, 100) <= percent; }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + between(0, values.size() - 1));
  }

  /// Few banks and short words, so that every boundary is met often.
  ScratchpadParams params() {
    ScratchpadParams p;
    p.interleaving = one_of({BankInterleaving::word, BankInterleaving::word,
                             BankInterleaving::blocked, BankInterleaving::xor_swizzled});
    p.bank_word_bytes = one_of<Bytes>({1, 2, 3, 4, 4, 4, 6, 16});
    p.banks = one_of<Count>({1, 2, 3, 4, 5, 6, 8, 16, 32});
    p.ports = one_of({BankPorts::single, BankPorts::read_and_write, BankPorts::dual});
    p.arbitration = one_of({BankArbitration::fixed_priority, BankArbitration::round_robin});
    p.read_latency_cycles = between(1, 3);
    if (p.interleaving == BankInterleaving::xor_swizzled) {
      const auto log2 = static_cast<unsigned>(between(0, 5));
      p.banks = Count{1} << log2;
      p.swizzle.bits = static_cast<unsigned>(between(0, log2));
      p.swizzle.bank_shift = static_cast<unsigned>(between(0, log2 - p.swizzle.bits));
      p.swizzle.row_shift = static_cast<unsigned>(between(0, 2));
    }
    if (p.interleaving == BankInterleaving::blocked) {
      p.bank_bytes = between(1, chance(50) ? 20 : 400) * p.bank_word_bytes;
    }
    return p;
  }

  /// Within `capacity` bytes, if it is not 0.
  StridedAccess access(const ScratchpadParams& p, Bytes capacity) {
    StridedAccess a;
    const Bytes word = p.bank_word_bytes;
    a.element_bytes = chance(70) ? one_of<Bytes>({1, 2, 4, 8, 16}) : between(1, 40);
    a.lane_stride_bytes =
        chance(60) ? word * between(0, 80) : (chance(30) ? a.element_bytes : between(0, 200));
    a.lanes = chance(60) ? one_of<Count>({1, 2, 4, 8, 16, 32, 64, 128}) : between(1, 150);
    a.base_address = chance(50) ? word * between(0, 100) : between(0, 1000);
    if (capacity > 0) {
      a.element_bytes = std::min(a.element_bytes, capacity);
      while (a.extent_bytes() > capacity) a.lanes = (a.lanes + 1) / 2;
      a.base_address = between(0, capacity - a.extent_bytes());
    }
    return a;
  }

  StreamAccess stream(const ScratchpadParams& p, Bytes capacity, Count most_vectors) {
    StreamAccess s{.first = access(p, capacity)};
    s.step_bytes = chance(60) ? p.bank_word_bytes * between(0, 70) : between(0, 300);
    s.vectors = between(1, most_vectors);
    if (capacity > 0 && s.step_bytes > 0) {
      const Bytes room = capacity - (s.first.base_address + s.first.extent_bytes());
      s.vectors = std::min(s.vectors, room / s.step_bytes + 1);
    }
    return s;
  }

 private:
  std::mt19937_64 engine_;
};

std::string describe(const ScratchpadParams& p) {
  return fmt::format("{} banks of {}-byte words ({} bytes), {} {} {}, swizzle {} {} {}", p.banks,
                     p.bank_word_bytes, p.bank_bytes, to_string(p.ports), to_string(p.interleaving),
                     to_string(p.arbitration), p.swizzle.bits, p.swizzle.row_shift,
                     p.swizzle.bank_shift);
}

std::string describe(const StridedAccess& a) {
  return fmt::format("{} lanes of {} bytes from {} on, stride {}", a.lanes, a.element_bytes,
                     a.base_address, a.lane_stride_bytes);
}

std::string describe(const BankStream& s) {
  return fmt::format("{} x ({}), step {}, {}, start {}, interval {}", s.access.vectors,
                     describe(s.access.first), s.access.step_bytes, s.write ? "write" : "read",
                     s.start, s.interval);
}

std::vector<std::uint64_t> addresses_of(const StridedAccess& a) {
  std::vector<std::uint64_t> addresses;
  for (Count lane = 0; lane < a.lanes; ++lane) addresses.push_back(a.address(lane));
  return addresses;
}

TEST_CASE("a strided access costs what counting its words says", "[scratchpad]") {
  Generator random(1);
  for (int i = 0; i < 12000; ++i) {
    const auto params = random.params();
    BankConflicts conflicts(params);
    const auto access = random.access(params, conflicts.geometry().capacity_bytes());
    INFO("case " << i << ": " << describe(params) << "; " << describe(access));
    std::vector<Count> closed(params.banks), counted(params.banks);
    const auto expected =
        conflicts.words_per_bank(addresses_of(access), access.element_bytes, counted);
    const auto load = conflicts.words_per_bank(access, closed);
    REQUIRE(closed == counted);
    REQUIRE(load == expected);
    REQUIRE(conflicts.load(access) == expected);
    REQUIRE(conflicts.cost(access) == conflicts.cost(addresses_of(access), access.element_bytes));
  }
}

TEST_CASE("a stream costs the sum of its vectors", "[scratchpad]") {
  Generator random(2);
  for (int i = 0; i < 800; ++i) {
    const auto params = random.params();
    BankConflicts conflicts(params);
    const auto stream = random.stream(params, conflicts.geometry().capacity_bytes(), 300);
    const Cycle interval = random.between(1, 5);
    INFO("case " << i << ": " << describe(params) << "; "
                 << describe(BankStream{.access = stream, .interval = interval}));
    StreamCost expected;
    Cycle ask = 0;
    for (Count v = 0; v < stream.vectors; ++v) {
      const auto vector = stream.at(v);
      const auto each = conflicts.cost(addresses_of(vector), vector.element_bytes);
      expected.total.words += each.words;
      expected.total.cycles += each.cycles;
      expected.total.ideal_cycles += each.ideal_cycles;
      expected.slowest_cycles = std::max(expected.slowest_cycles, each.cycles);
      expected.duration_cycles = ask + each.cycles;
      ask += std::max(interval, each.cycles);
    }
    REQUIRE(conflicts.cost(stream, interval) == expected);
  }
}

/// The rules of Scratchpad as lists: each bank holds the words that are wanted of it, each port
/// takes one. Written without the class it checks.
std::vector<StreamOutcome> by_lists(const ScratchpadParams& params,
                                    const std::vector<BankStream>& streams) {
  struct Word {
    std::size_t stream;
    bool write;
  };
  const BankGeometry geometry(params);
  std::vector<std::deque<Word>> wanted(params.banks);
  std::vector<std::vector<std::size_t>> turn(2, std::vector<std::size_t>(params.banks, SIZE_MAX));
  std::vector<StreamOutcome> outcomes(streams.size());
  std::vector<Count> asked(streams.size()), open(streams.size());
  std::vector<Cycle> asked_at(streams.size()), alone(streams.size());
  std::vector<Cycle> next_ask;
  next_ask.reserve(streams.size());
  for (const auto& s : streams) next_ask.push_back(s.start);
  const auto take = [&](std::size_t bank, int port_kind) {  // 0 any, 1 reads, 2 writes
    auto& list = wanted[bank];
    auto& last = turn[port_kind == 2 ? 1 : 0][bank];
    auto best = list.end();
    std::size_t best_rank = SIZE_MAX;
    for (auto it = list.begin(); it != list.end(); ++it) {
      if (port_kind != 0 && it->write != (port_kind == 2)) continue;
      const std::size_t n = streams.size();
      const std::size_t rank = params.arbitration == BankArbitration::round_robin
                                   ? (it->stream + n - (last == SIZE_MAX ? 0 : last + 1)) % n
                                   : it->stream;
      if (rank < best_rank) best = it, best_rank = rank;
    }
    if (best == list.end()) return;
    last = best->stream;
    --open[best->stream];
    list.erase(best);
  };
  for (Cycle now = 0;; ++now) {
    bool all_done = true;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const auto& s = streams[i];
      if (open[i] == 0 && asked[i] < s.access.vectors && now >= next_ask[i]) {
        std::vector<std::uint64_t> words;
        const auto vector = s.access.at(asked[i]);
        for (const auto address : addresses_of(vector)) {
          for (Bytes byte = 0; byte < vector.element_bytes; ++byte) {
            words.push_back(geometry.word_of(address + byte));
          }
        }
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        std::vector<Count> in_bank(params.banks);
        for (const auto word : words) {
          const Count bank = geometry.bank_of_word(word);
          wanted[bank].push_back({i, s.write});
          ++in_bank[bank];
        }
        open[i] = words.size();
        const Count busiest = *std::max_element(in_bank.begin(), in_bank.end());
        const Count ports = params.ports == BankPorts::dual ? 2 : 1;
        alone[i] = (busiest + ports - 1) / ports;
        outcomes[i].words += words.size();
        outcomes[i].conflict_cycles +=
            alone[i] - (words.size() + params.banks * ports - 1) / (params.banks * ports);
        asked_at[i] = now;
        ++asked[i];
      }
      all_done &= open[i] == 0 && asked[i] == s.access.vectors;
    }
    if (all_done) return outcomes;
    std::vector<bool> was_open;
    was_open.reserve(open.size());
    for (const Count words : open) was_open.push_back(words > 0);
    for (std::size_t bank = 0; bank < params.banks; ++bank) {
      if (params.ports == BankPorts::read_and_write) {
        take(bank, 1);
        take(bank, 2);
      } else {
        take(bank, 0);
        if (params.ports == BankPorts::dual) take(bank, 0);
      }
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (!was_open[i] || open[i] > 0) continue;
      outcomes[i].end = now + 1;
      outcomes[i].wait_cycles += now + 1 - asked_at[i] - alone[i];
      next_ask[i] = std::max(now + 1, asked_at[i] + streams[i].interval);
    }
  }
}

std::vector<BankStream> some_streams(Generator& random, const ScratchpadParams& params,
                                     Count most_vectors) {
  const Bytes capacity = BankGeometry(params).capacity_bytes();
  std::vector<BankStream> streams(random.between(1, 4));
  for (auto& s : streams) {
    s.access = random.stream(params, capacity, most_vectors);
    s.write = random.chance(40);
    s.start = random.chance(50) ? 0 : random.between(0, 60);
    s.interval = random.chance(60) ? 1 : random.between(2, 9);
  }
  return streams;
}

void check_equal(const std::vector<StreamOutcome>& found,
                 const std::vector<StreamOutcome>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("stream " << i);
    REQUIRE(found[i].end == expected[i].end);
    REQUIRE(found[i].wait_cycles == expected[i].wait_cycles);
    REQUIRE(found[i].conflict_cycles == expected[i].conflict_cycles);
    REQUIRE(found[i].words == expected[i].words);
  }
}

TEST_CASE("streams that share banks: detailed = lists of words, fast = detailed", "[scratchpad]") {
  Generator random(3);
  for (int i = 0; i < 200; ++i) {
    const auto params = random.params();
    const auto streams = some_streams(random, params, 25);
    std::string text = describe(params);
    for (const auto& s : streams) text += "\n  " + describe(s);
    INFO("case " << i << ": " << text);
    const auto detailed = simulate_streams(params, streams);
    check_equal(detailed, by_lists(params, streams));
    check_equal(predict_streams(params, streams), detailed);
  }
}

// Long enough for the fast model to jump: streams of few banks, patterns of small periods.
TEST_CASE("long streams that share banks: fast = detailed", "[scratchpad]") {
  Generator random(4);
  for (int i = 0; i < 250; ++i) {
    auto params = random.params();
    if (params.interleaving == BankInterleaving::blocked) params.bank_bytes *= 40;
    auto streams = some_streams(random, params, 700);
    for (auto& s : streams) {
      s.access.first.lanes = std::min<Count>(s.access.first.lanes, 16);
      if (random.chance(70)) s.access.first.lane_stride_bytes = params.bank_word_bytes;
      if (random.chance(70)) s.access.first.element_bytes = params.bank_word_bytes;
      if (const Bytes capacity = params.banks * params.bank_bytes; capacity > 0) {
        s.access.first.base_address = 0;
        s.access.first.lanes = 1 + capacity / (20 * params.bank_word_bytes) % 8;
        s.access.first.element_bytes = params.bank_word_bytes;
        s.access.first.lane_stride_bytes = params.bank_word_bytes;
        s.access.step_bytes = params.bank_word_bytes * random.between(0, 3);
        const Bytes room = capacity - s.access.first.extent_bytes();
        s.access.vectors =
            s.access.step_bytes == 0
                ? random.between(1, 700)
                : random.between(1, std::min<Count>(room / s.access.step_bytes, 700));
      }
    }
    std::string text = describe(params);
    for (const auto& s : streams) text += "\n  " + describe(s);
    INFO("case " << i << ": " << text);
    check_equal(predict_streams(params, streams), simulate_streams(params, streams));
  }
}

TEST_CASE("streams that share banks: bounds", "[scratchpad]") {
  Generator random(5);
  for (int i = 0; i < 300; ++i) {
    const auto params = random.params();
    const auto streams = some_streams(random, params, 40);
    std::string text = describe(params);
    for (const auto& s : streams) text += "\n  " + describe(s);
    INFO("case " << i << ": " << text);
    const auto outcomes = predict_streams(params, streams);
    BankConflicts conflicts(params);
    Cycle last = 0, one_by_one = 0;
    std::vector<Count> of_vector(params.banks), of_bank(params.banks);
    for (std::size_t k = 0; k < streams.size(); ++k) {
      const auto& s = streams[k];
      const Cycle alone = conflicts.cost(s.access, s.interval).duration_cycles;
      CHECK(outcomes[k].end >= s.start + alone);
      CHECK((outcomes[k].wait_cycles > 0 || outcomes[k].end == s.start + alone));
      one_by_one = std::max(one_by_one, s.start) + alone;
      last = std::max(last, outcomes[k].end);
      for (Count v = 0; v < s.access.vectors; ++v) {
        (void)conflicts.words_per_bank(s.access.at(v), of_vector);
        for (std::size_t bank = 0; bank < params.banks; ++bank) of_bank[bank] += of_vector[bank];
      }
    }
    // A bank needs a port and cycle for each word.
    for (const Count words : of_bank) CHECK(words <= last * params.ports_per_bank());
    // The first in fixed priority does not notice the others; whoever is first among those with
    // words open works as if alone, so all together need no longer than one by one.
    if (params.arbitration == BankArbitration::fixed_priority) {
      CHECK(outcomes[0].wait_cycles == 0);
      CHECK(last <= one_by_one);
    }
  }
}

// Random gathers and scatters with random pauses: every word asked is served, laws hold at any
// moment, the statistics are the sums of the parts.
TEST_CASE("nothing is lost between requesters and banks", "[scratchpad]") {
  Generator random(6);
  for (int i = 0; i < 60; ++i) {
    const auto params = random.params();
    const Bytes capacity = BankGeometry(params).capacity_bytes();
    StatGroup root("root");
    Scratchpad scratchpad("spad", params, {"dma", "array", "vector"}, root);
    Count words = 0, vectors = 0;
    std::vector<std::uint64_t> addresses;
    Cycle now = 0;
    for (int step = 0; step < 60; ++step) {
      scratchpad.advance(now);
      for (std::size_t r = 0; r < 3; ++r) {
        if (!scratchpad.free(r) || random.chance(30)) continue;
        const Bytes element = std::min<Bytes>(random.between(1, 8), capacity > 0 ? capacity : 8);
        addresses.clear();
        for (Count lane = random.between(1, 20); lane > 0; --lane) {
          addresses.push_back(random.between(0, capacity > 0 ? capacity - element : 500));
        }
        BankConflicts conflicts(params);
        words += conflicts.cost(addresses, element).words;
        ++vectors;
        scratchpad.start(now, r, addresses, element, random.chance(50));
      }
      const Cycle event = scratchpad.next_event(now);
      now = random.chance(50) || event == kNever ? now + random.between(1, 3) : event;
      scratchpad.check_laws();
    }
    while (scratchpad.next_event(now) != kNever)
      scratchpad.advance(now = scratchpad.next_event(now));
    scratchpad.check_drained();
    scratchpad.check_laws();
    CHECK(scratchpad.words() == words);
    Count by_bank = 0, done = 0;
    for (std::size_t bank = 0; bank < params.banks; ++bank) {
      by_bank += scratchpad.words_of_bank(bank);
    }
    for (std::size_t r = 0; r < 3; ++r) done += scratchpad.use(r).vectors;
    CHECK(by_bank == words);
    CHECK(done == vectors);
    CHECK(scratchpad.utilisation(scratchpad.active_cycles()) <= 1.0);
  }
}

}  // namespace
}  // namespace tilewave::test
