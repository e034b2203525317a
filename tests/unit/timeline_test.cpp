// SPDX-License-Identifier: Apache-2.0
// Amounts over time in a bounded number of bins.
#include "sim/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using Amounts = std::vector<double>;

double sum(const Amounts& amounts) { return std::accumulate(amounts.begin(), amounts.end(), 0.0); }

TEST_CASE("an amount is spread evenly over its cycles", "[timeline]") {
  Timeline timeline(2, 8);
  timeline.add(0, 1, 5, 8.0);
  timeline.add(0, 3, 4, 1.0);
  timeline.add(1, 0, 2, 3.0);
  CHECK(timeline.bin_cycles() == 1);
  CHECK(timeline.bins(0, 6) == Amounts{0, 2, 2, 3, 2, 0});
  CHECK(timeline.bins(1, 3) == Amounts{1.5, 1.5, 0});  // channels are apart
}

TEST_CASE("an amount of no length is one cycle long", "[timeline]") {
  Timeline timeline(1, 8);
  timeline.add(0, 2, 2, 5.0);
  CHECK(timeline.bins(0, 4) == Amounts{0, 0, 5, 0});
  // At the end of the run it belongs to the last bin.
  timeline.add(0, 4, 4, 1.0);
  CHECK(timeline.bins(0, 4) == Amounts{0, 0, 5, 1});
  // A run of no cycles has a bin, too.
  Timeline empty(1, 8);
  empty.add(0, 0, 0, 2.0);
  CHECK(empty.bins(0, 0) == Amounts{2});
}

TEST_CASE("neighbouring bins merge when a cycle lies beyond the last one", "[timeline]") {
  Timeline timeline(2, 4);
  for (Cycle c = 0; c < 4; ++c) timeline.add(0, c, c + 1, static_cast<double>(c + 1));
  timeline.add(1, 3, 4, 7.0);
  CHECK(timeline.bins(0, 4) == Amounts{1, 2, 3, 4});
  timeline.add(0, 4, 5, 10.0);
  CHECK(timeline.bin_cycles() == 2);
  CHECK(timeline.bins(0, 5) == Amounts{3, 7, 10});
  CHECK(timeline.bins(1, 5) == Amounts{0, 7, 0});
  timeline.add(0, 30, 31, 1.0);
  CHECK(timeline.bin_cycles() == 8);
  CHECK(timeline.bins(0, 31) == Amounts{20, 0, 0, 1});
  // A slice over bins of which it fills one and a half.
  timeline.add(0, 4, 16, 12.0);
  CHECK(timeline.bins(0, 31) == Amounts{24, 8, 0, 1});
}

TEST_CASE("an odd number of bins merges, too", "[timeline]") {
  Timeline timeline(1, 3);
  for (Cycle c = 0; c < 3; ++c) timeline.add(0, c, c + 1, static_cast<double>(c + 1));
  timeline.add(0, 3, 4, 4.0);
  CHECK(timeline.bins(0, 4) == Amounts{3, 7});
  Timeline one(1, 1);
  one.add(0, 0, 1, 1.0);
  one.add(0, 99, 100, 1.0);
  CHECK(one.bins(0, 100) == Amounts{2});
  CHECK(one.bin_cycles() == 128);
}

TEST_CASE("bins reach the end of the run, also where nothing happens", "[timeline]") {
  Timeline timeline(1, 4);
  timeline.add(0, 0, 1, 1.0);
  timeline.cover(4);
  CHECK(timeline.bin_cycles() == 1);
  timeline.cover(13);
  CHECK(timeline.bin_cycles() == 4);
  CHECK(timeline.bins(0, 13) == Amounts{1, 0, 0, 0});
  timeline.cover(0);
  CHECK(timeline.bin_cycles() == 4);
}

/// Random slices: the same amounts as when each cycle has a bin of its own.
TEST_CASE("random slices land in the bins of their cycles", "[timeline]") {
  std::mt19937_64 random(1);
  const auto pick = [&](Cycle low, Cycle high) {
    return std::uniform_int_distribution<Cycle>(low, high)(random);
  };
  for (int round = 0; round < 100; ++round) {
    constexpr Cycle kEnd = 700;
    const std::size_t bins = pick(1, 40);
    Timeline timeline(1, bins);
    Amounts cycles(kEnd, 0.0);
    for (int i = 0; i < 50; ++i) {
      const Cycle begin = pick(0, kEnd - 1), end = pick(begin + 1, kEnd);
      const auto amount = static_cast<double>(pick(0, 1000));
      timeline.add(0, begin, end, amount);
      for (Cycle c = begin; c < end; ++c) cycles[c] += amount / static_cast<double>(end - begin);
    }
    timeline.cover(kEnd);
    const auto amounts = timeline.bins(0, kEnd);
    REQUIRE(amounts.size() == ceil_div(kEnd, timeline.bin_cycles()));
    REQUIRE(amounts.size() <= bins);
    for (std::size_t b = 0; b < amounts.size(); ++b) {
      double expected = 0;
      for (Cycle c = b * timeline.bin_cycles(); c < std::min(kEnd, (b + 1) * timeline.bin_cycles());
           ++c) {
        expected += cycles[c];
      }
      REQUIRE(amounts[b] == Approx(expected).margin(1e-9));
    }
  }
}

TEST_CASE("a run of 10^12 cycles takes the same few bins and loses nothing", "[timeline]") {
  std::mt19937_64 random(2);
  Timeline timeline(1);
  constexpr Cycle kEnd = 1'000'000'000'000;
  double total = 0;
  for (Cycle now = 0; now < kEnd; now += kEnd / 20'000) {
    const Cycle length = std::uniform_int_distribution<Cycle>(0, kEnd / 10'000)(random);
    timeline.add(0, now, std::min(kEnd, now + length), 3.0);
    total += 3.0;
    REQUIRE(timeline.bins(0, std::min(kEnd, now + length)).size() <= 512);
  }
  const auto amounts = timeline.bins(0, kEnd);
  CHECK(amounts.size() > 256);
  CHECK(sum(amounts) == Approx(total).epsilon(1e-9));
  for (const double amount : amounts) CHECK(amount > 0);
}

}  // namespace
}  // namespace tilewave::test
