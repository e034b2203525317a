// SPDX-License-Identifier: Apache-2.0
// Bytes of transfers in the stretches of time in which they went over the link. Cycle x starts at
// x ns.
#include "arch/memory/link_meter.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

constexpr std::uint64_t kNs = 1'000'000;
constexpr Femtoseconds ns(std::uint64_t count) { return {count * kNs}; }
const ClockDomain kClock(Frequency::from_ghz(1));

TEST_CASE("a transfer counts where it lies", "[memory]") {
  LinkMeter meter(kClock);
  meter.add(0, 100, ns(10), ns(20));
  meter.add(0, 10, ns(30), ns(40));
  CHECK(meter.take_until(5) == 0);
  CHECK(meter.take_until(10) == 0);
  CHECK(meter.take_until(13) == 30);
  CHECK(meter.take_until(13) == 0);  // since the last call
  CHECK(meter.take_until(20) == 70);
  CHECK(meter.take_until(39) == 9);
  CHECK(meter.take_until(100) == 1);
  CHECK(meter.take_until(200) == 0);
}

TEST_CASE("a transfer within one stretch counts whole", "[memory]") {
  LinkMeter meter(kClock);
  meter.add(0, 7, ns(1), ns(2));
  meter.add(0, 5, ns(3), ns(3));  // an ideal memory: no time at all
  meter.add(1, 3, ns(0), ns(4));  // the other direction
  CHECK(meter.take_until(2) == 7 + 1);
  CHECK(meter.take_until(4) == 5 + 2);
}

TEST_CASE("bytes are neither lost nor counted twice, and no stretch exceeds the bandwidth",
          "[memory]") {
  std::mt19937_64 random(1);
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  for (int round = 0; round < 100; ++round) {
    LinkMeter meter(kClock);
    Bytes added = 0, moved = 0;
    std::uint64_t end[2] = {0, 0};
    for (int i = 0; i < 60; ++i) {
      // Two bytes a nanosecond in each direction, now and then idle.
      const std::size_t lane = pick(0, 1);
      const std::uint64_t begin = end[lane] + (pick(0, 2) == 0 ? pick(0, 40 * kNs) : 0);
      const Bytes bytes = pick(0, 100);
      end[lane] = begin + bytes * kNs / 2;
      meter.add(lane, bytes, {begin}, {end[lane]});
      added += bytes;
    }
    const Cycle last = std::max(end[0], end[1]) / kNs + 1;
    for (Cycle now = 0; now < last;) {
      const Cycle next = std::min(last, now + pick(1, 50));
      const Bytes in_stretch = meter.take_until(next);
      REQUIRE(in_stretch <= 2 * 2 * (next - now) + 4);  // a byte of rounding at each end
      moved += in_stretch;
      now = next;
    }
    REQUIRE(moved == added);
  }
}

TEST_CASE("transfers are entered into a timeline", "[memory]") {
  LinkMeter meter(kClock);
  Timeline timeline(2, 8);
  meter.record_in(timeline, 1);
  meter.add(0, 30, ns(1), ns(4));
  meter.add(1, 8, ns(2), ns(4));
  CHECK(timeline.bins(1, 5) == std::vector<double>{0, 10, 14, 14, 0});
  CHECK(timeline.bins(0, 5) == std::vector<double>{0, 0, 0, 0, 0});
}

}  // namespace
}  // namespace tilewave::test
