// SPDX-License-Identifier: Apache-2.0
// The parts that replay stretches: sets of places, words, what is remembered, states there and back.
// That a replay is what stepping gives: tests/property/dram_paces_test.cpp.
#include "arch/memory/dram/dram_stretch.hpp"

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"

#include "arch/memory/dram/dram_memo.hpp"
#include "arch/memory/dram/dram_timing.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("places: what is set, the first from one on, the last before one", "[dram]") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    DramPlaces places;
    std::set<int> expected;
    for (int i = 0; i < round % 7; ++i) {
      const int place = static_cast<int>(random() % DramPlaces::kPlaces);
      places.set(place);
      expected.insert(place);
    }
    for (int place = 0; place < DramPlaces::kPlaces; ++place) {
      REQUIRE(places.test(place) == expected.contains(place));
      const auto from = expected.lower_bound(place);
      REQUIRE(places.first_from(place) == (from == expected.end() ? DramPlaces::kPlaces : *from));
    }
    for (int end = 1; end <= DramPlaces::kPlaces; ++end) {
      const auto from = expected.lower_bound(end);
      REQUIRE(places.last_before(end) == (from == expected.begin() ? -1 : *std::prev(from)));
    }
  }
}

TEST_CASE("words: a value that does not fit is noticed", "[dram]") {
  DramWords words;
  words.put(65'535);
  words.put(7);
  CHECK(words.complete());
  CHECK(std::vector<DramWord>(words.words().begin(), words.words().end()) ==
        std::vector<DramWord>{65'535, 7});
  words.put(65'536);
  CHECK_FALSE(words.complete());
  words.clear();
  CHECK(words.complete());
  CHECK(words.words().empty());
}

TEST_CASE("what is remembered: found by all its words, bounded", "[dram]") {
  DramMemo memo;
  const auto key = [](std::uint32_t number, std::size_t size) {
    std::vector<DramWord> words(size, 3);
    words.front() = static_cast<DramWord>(number);
    words.back() = static_cast<DramWord>(number >> 16U);
    return words;
  };
  CHECK(memo.find(key(1, 9)) == nullptr);
  constexpr std::uint32_t kMany = 40'000;
  std::size_t largest = 0;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    DramOutcome outcome;
    outcome.ticks = i;
    memo.insert(key(i, 9), std::move(outcome));
    REQUIRE(memo.find(key(i, 9)) != nullptr);
    REQUIRE(memo.find(key(i, 9))->ticks == i);
    largest = std::max(largest, memo.size());
  }
  CHECK(memo.find(key(kMany - 1, 8)) == nullptr);  // a shorter one is another one
  CHECK(memo.find(key(kMany, 9)) == nullptr);
  CHECK(largest < kMany);  // of older ones some are forgotten
  CHECK(largest > 10'000);
}

// What the rules say does not change when a state is told and taken back, at another time and with
// the banks turned.
TEST_CASE("timing: told and taken back, later and on other banks", "[dram]") {
  for (const char* preset : {"ddr4_3200", "lpddr5_6400", "hbm2_2000", "hbm3_5200", "hbm4_8000"}) {
    const DramParams dram = dram_preset(preset);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      std::mt19937_64 random(seed);
      DramTiming timing(dram), other(dram);
      const std::size_t banks = timing.tables().banks(), turn = random() % banks;
      const DramTick later = 1'000'000;
      using enum DramCommand;
      constexpr DramCommand kCommands[]{act, pre, rd, wr, rd_ap, wr_ap, act, rd};
      DramTick now = 1000;
      const auto issue = [&](DramTiming& to, DramTick shift, std::size_t x, DramCommand command,
                             std::size_t bank) { to.issue(command, bank ^ x, now + shift); };
      for (int i = 0; i < 60; ++i) {
        issue(timing, 0, 0, kCommands[random() % std::size(kCommands)], random() % banks);
        now += static_cast<DramTick>(random() % 4);
      }
      DramWords words;
      timing.describe(0, now, words);
      for (std::size_t b = 0; b < banks; ++b) timing.describe_bank(b, now, words);
      REQUIRE(words.complete());
      const DramWord* word = other.restore(turn, now + later, words.words().data());
      for (std::size_t b = 0; b < banks; ++b) {
        word = other.restore_bank(b ^ turn, now + later, word);
      }
      CHECK(word == words.words().data() + words.words().size());
      // And what follows has the same effects on both.
      for (int i = 0; i < 30; ++i) {
        const DramCommand command = kCommands[random() % std::size(kCommands)];
        const std::size_t bank = random() % banks;
        issue(timing, 0, 0, command, bank);
        issue(other, later, turn, command, bank);
        now += static_cast<DramTick>(random() % 4);
        for (std::size_t wait = 0; wait < kDramWaits; ++wait) {
          for (std::size_t b = 0; b < banks; ++b) {
            const auto which = static_cast<DramWait>(wait);
            const DramTick here = std::max(timing.ready(which, b), now) - now;
            REQUIRE(here == std::max(other.ready(which, b ^ turn), now + later) - now - later);
          }
        }
      }
    }
  }
}
