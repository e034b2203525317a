// SPDX-License-Identifier: Apache-2.0
// Cycles and times of clocks whose period is no whole number of femtoseconds.
#include "sim/clock_domain.hpp"

#include <random>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

constexpr double kClocks[] = {0.7, 1.0, 1.41, 1.755, 3.0, 0.000001, 0.033, 100.0};

ClockDomain clock_of(double ghz) { return ClockDomain(Frequency::from_ghz(ghz)); }

TEST_CASE("cycles begin at the first femtosecond of their period", "[clock]") {
  struct Row {
    double ghz;
    Cycle cycle;
    std::uint64_t fs;
  };
  for (const Row& r :
       {Row{1.0, 0, 0}, Row{1.0, 1, 1'000'000}, Row{1.0, 123'456'789, 123'456'789'000'000},
        // 1 / 0.7 GHz = 1 428 571.428... fs
        Row{0.7, 1, 1'428'572}, Row{0.7, 2, 2'857'143}, Row{0.7, 6, 8'571'429},
        Row{0.7, 7, 10'000'000}, Row{0.7, 700'000'000, 1'000'000'000'000'000},
        // 1 / 1.41 GHz = 709 219.858... fs
        Row{1.41, 1, 709'220}, Row{1.41, 141, 100'000'000},
        // 1 / 1.755 GHz = 569 800.569... fs
        Row{1.755, 1, 569'801}, Row{1.755, 351, 200'000'000},
        // an hour
        Row{1.755, 6'318'000'000'000, 3'600'000'000'000'000'000}}) {
    INFO(r.ghz << " GHz, cycle " << r.cycle);
    CHECK(clock_of(r.ghz).time_of(r.cycle).value == r.fs);
    CHECK(clock_of(r.ghz).cycle_at_or_after({r.fs}) == r.cycle);
  }
}

/// The cycle at a time is the inverse of the time of a cycle, and one further just behind it.
void check_inverse(const ClockDomain& clock, Cycle cycle) {
  const Femtoseconds start = clock.time_of(cycle);
  REQUIRE(clock.cycle_at_or_after(start) == cycle);
  REQUIRE(clock.cycle_at_or_after({start.value + 1}) == cycle + 1);
  if (cycle > 0) REQUIRE(clock.cycle_at_or_after({start.value - 1}) == cycle);
}

TEST_CASE("times and cycles are inverse, for many cycles in a row", "[clock]") {
  for (const double ghz : kClocks) {
    INFO(ghz << " GHz");
    const ClockDomain clock = clock_of(ghz);
    const std::uint64_t period = 1'000'000'000'000 / clock.frequency().khz;
    for (Cycle cycle = 0; cycle < 20'000; ++cycle) {
      check_inverse(clock, cycle);
      // Starts are a period apart, rounded either way: they do not drift.
      const auto apart = clock.time_of(cycle + 1).value - clock.time_of(cycle).value;
      REQUIRE(apart >= period);
      REQUIRE(apart <= period + 1);
    }
  }
}

TEST_CASE("times and cycles are inverse, five hours into a run", "[clock]") {
  std::mt19937_64 random(1);
  for (const double ghz : kClocks) {
    INFO(ghz << " GHz");
    const ClockDomain clock = clock_of(ghz);
    // 64 bits of femtoseconds: 18 446 s.
    const Cycle last = clock.frequency().khz * 18'446'000;
    for (int i = 0; i < 20'000; ++i) {
      check_inverse(clock, std::uniform_int_distribution<Cycle>(0, last)(random));
    }
    check_inverse(clock, last);
    CHECK(clock.time_of(last).value == 18'446'000'000'000'000'000U);
  }
}

TEST_CASE("times between cycles belong to the next one", "[clock]") {
  std::mt19937_64 random(2);
  for (const double ghz : {0.7, 1.41, 1.755}) {
    const ClockDomain clock = clock_of(ghz);
    for (int i = 0; i < 20'000; ++i) {
      const Femtoseconds time{std::uniform_int_distribution<std::uint64_t>(0, 1ULL << 62)(random)};
      const Cycle cycle = clock.cycle_at_or_after(time);
      REQUIRE(clock.time_of(cycle) >= time);
      if (cycle > 0) REQUIRE(clock.time_of(cycle - 1) < time);
    }
  }
}

TEST_CASE("frequencies and bandwidths are whole numbers", "[clock]") {
  CHECK(Frequency::from_ghz(0.7).khz == 700'000);
  CHECK(Frequency::from_ghz(1.755).khz == 1'755'000);
  CHECK(Frequency::from_ghz(1.4105015).khz == 1'410'502);  // rounded
  CHECK(Frequency::from_ghz(1e-6).khz == 1);
  CHECK(Frequency::from_ghz(1.41).hz() == 1.41e9);
  CHECK(Bandwidth::from_gb_per_s(0.3).bytes_per_s == 300'000'000);
  CHECK(Bandwidth::from_gb_per_s(34.1).gb_per_s() == Approx(34.1));
}

TEST_CASE("bytes occupy a link, rounded up to a femtosecond", "[clock]") {
  struct Row {
    std::uint64_t bytes_per_s;
    Bytes bytes;
    std::uint64_t fs;
  };
  for (const Row& r : {Row{1'000'000'000, 0, 0}, Row{1'000'000'000, 64, 64'000'000},
                       Row{3'000'000'000, 1, 333'334}, Row{3'000'000'000, 3, 1'000'000},
                       // No product wraps at 64 bits: 16 TiB in 4 h 53 min.
                       Row{1'000'000'000, Bytes{1} << 44, 17'592'186'044'416'000'000U}}) {
    CHECK(Bandwidth{r.bytes_per_s}.occupancy(r.bytes).value == r.fs);
  }
}

TEST_CASE("division that rounds up", "[clock]") {
  CHECK(ceil_div<Count>(0, 7) == 0);
  CHECK(ceil_div<Count>(1, 7) == 1);
  CHECK(ceil_div<Count>(7, 7) == 1);
  CHECK(ceil_div<Count>(8, 7) == 2);
  CHECK(ceil_div<Count>(~Count{0}, 2) == Count{1} << 63);
}

}  // namespace
}  // namespace tilewave::test
