// SPDX-License-Identifier: Apache-2.0
// Which requests the patterns make; the histogram of latencies.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "support/catch.hpp"

#include "app/dram/latency_histogram.hpp"
#include "app/dram/traffic_pattern.hpp"

using namespace tilewave;

namespace {

constexpr Bytes kMib = Bytes{1} << 20U;

std::vector<DramAccess> take(const TrafficParams& params, std::size_t count) {
  PatternTraffic traffic(params);
  std::vector<DramAccess> accesses(count);
  for (DramAccess& access : accesses) REQUIRE(traffic.next(access));
  return accesses;
}

std::vector<std::uint64_t> addresses(const TrafficParams& params, std::size_t count) {
  std::vector<std::uint64_t> all;
  for (const DramAccess& access : take(params, count)) all.push_back(access.address);
  return all;
}

}  // namespace

TEST_CASE("patterns have names", "[dram][traffic]") {
  REQUIRE(traffic_pattern_names().size() == 4);
  CHECK(to_string(TrafficPattern::sequential) == "sequential");
  CHECK(to_string(TrafficPattern::mixed) == "mixed");
  CHECK(traffic_pattern_names()[2] == to_string(TrafficPattern::random));
}

TEST_CASE("sequential requests follow one another and wrap at the capacity", "[dram][traffic]") {
  CHECK(addresses({.request_bytes = 64, .capacity_bytes = 256}, 6) ==
        std::vector<std::uint64_t>{0, 64, 128, 192, 0, 64});
  CHECK(addresses({.request_bytes = 4096, .capacity_bytes = kMib}, 3) ==
        std::vector<std::uint64_t>{0, 4096, 8192});
}

TEST_CASE("each pass of strided requests begins a request further on", "[dram][traffic]") {
  const TrafficParams params{.pattern = TrafficPattern::strided,
                             .request_bytes = 64,
                             .capacity_bytes = 512,
                             .stride_bytes = 192};
  CHECK(addresses(params, 10) ==
        std::vector<std::uint64_t>{0, 192, 384, 64, 256, 448, 128, 320, 0, 192});
}

TEST_CASE("strided requests touch every place of the memory once", "[dram][traffic]") {
  for (const Bytes stride : {64U, 128U, 4096U, 4160U, 65536U, 1048512U}) {
    CAPTURE(stride);
    const TrafficParams params{.pattern = TrafficPattern::strided,
                               .request_bytes = 64,
                               .capacity_bytes = kMib,
                               .stride_bytes = stride};
    const auto all = addresses(params, kMib / 64);
    CHECK(std::set<std::uint64_t>(all.begin(), all.end()).size() == kMib / 64);
    CHECK(std::ranges::max(all) == kMib - 64);
  }
}

TEST_CASE("random requests are aligned, within bounds and everywhere", "[dram][traffic]") {
  for (const Bytes capacity : {3 * kMib, 1024 * kMib}) {
    CAPTURE(capacity);
    const TrafficParams params{
        .pattern = TrafficPattern::random, .request_bytes = 256, .capacity_bytes = capacity};
    const Bytes region = std::min(capacity, PatternTraffic::kRandomBytes);
    constexpr std::size_t kCount = 16000;
    std::map<std::uint64_t, int> sixteenths;
    for (const std::uint64_t address : addresses(params, kCount)) {
      REQUIRE(address % 256 == 0);
      REQUIRE(address < region);
      ++sixteenths[address / (region / 16)];
    }
    // 1000 are expected in each; six standard deviations are 184.
    CHECK(sixteenths.size() == 16);
    for (const auto& [part, count] : sixteenths) CHECK(std::abs(count - 1000) < 184);
  }
}

TEST_CASE("random requests are those of the seed", "[dram][traffic]") {
  TrafficParams params{.pattern = TrafficPattern::random, .capacity_bytes = kMib};
  const auto first = addresses(params, 100);
  CHECK(addresses(params, 100) == first);
  params.seed = 2;
  CHECK(addresses(params, 100) != first);
  params.seed = 0;
  const auto zero = addresses(params, 100);
  CHECK(std::set<std::uint64_t>(zero.begin(), zero.end()).size() > 90);
}

TEST_CASE("reads and writes are spread evenly", "[dram][traffic]") {
  for (const double share : {0.0, 0.1, 0.25, 0.5, 2.0 / 3, 0.7, 0.999, 1.0}) {
    CAPTURE(share);
    Count reads = 0, requests = 0;
    for (const DramAccess& access : take({.capacity_bytes = kMib, .read_share = share}, 3000)) {
      reads += access.write ? 0U : 1U;
      ++requests;
      const double exact = share * static_cast<double>(requests);
      REQUIRE(std::abs(static_cast<double>(reads) - exact) < 1 + 1e-5);
    }
  }
  // As many as the share says, where that is a whole number.
  const auto accesses = take({.capacity_bytes = kMib, .read_share = 0.7}, 1000);
  CHECK(std::ranges::count(accesses, false, &DramAccess::write) == 700);
}

TEST_CASE("mixed requests come from four sources in turn", "[dram][traffic]") {
  constexpr Bytes kQuarter = 3 * kMib;
  const TrafficParams params{.pattern = TrafficPattern::mixed, .capacity_bytes = 4 * kQuarter};
  // Enough for each stream to wrap.
  const auto accesses = take(params, 4 * (kQuarter / 64 + 10));
  std::set<std::uint64_t> phases;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::size_t source = i % 4;
    REQUIRE(accesses[i].write == (source == 2));
    REQUIRE(accesses[i].address / kQuarter == source);
    if (source == 3 || i < 4) continue;
    const Bytes before = accesses[i - 4].address % kQuarter;
    REQUIRE(accesses[i].address % kQuarter == (before + 64) % kQuarter);
  }
  for (std::size_t i = 0; i < 3; ++i) phases.insert(accesses[i].address % kQuarter);
  CHECK(phases == std::set<std::uint64_t>{0, kMib, 2 * kMib});
}

TEST_CASE("the smallest memory", "[dram][traffic]") {
  for (const auto pattern :
       {TrafficPattern::sequential, TrafficPattern::random, TrafficPattern::mixed}) {
    for (const std::uint64_t address :
         addresses({.pattern = pattern, .request_bytes = 64, .capacity_bytes = 256}, 50)) {
      CHECK(address < 256);
    }
  }
}

TEST_CASE("latencies by rank", "[dram][latency]") {
  LatencyHistogram latencies;
  CHECK(latencies.mean() == 0);
  CHECK(latencies.percentile(0.5) == 0);
  for (std::uint64_t i = 1; i <= 200; ++i) latencies.add(i);
  CHECK(latencies.count() == 200);
  CHECK(latencies.mean() == 100.5);
  CHECK(latencies.max() == 200);
  CHECK(latencies.percentile(0) == 1);
  CHECK(latencies.percentile(0.5) == 100);
  CHECK(latencies.percentile(0.99) == 198);
  CHECK(latencies.percentile(0.991) == 199);
  CHECK(latencies.percentile(1) == 200);
}

TEST_CASE("large latencies are known to one part in 64", "[dram][latency]") {
  for (const std::uint64_t latency :
       {std::uint64_t{65535}, std::uint64_t{65536}, std::uint64_t{65537}, std::uint64_t{131071},
        std::uint64_t{131072}, std::uint64_t{1000000}, (std::uint64_t{1} << 40U) + 12345,
        ~std::uint64_t{0}}) {
    CAPTURE(latency);
    LatencyHistogram latencies;
    latencies.add(latency);
    latencies.add(~std::uint64_t{0});
    const std::uint64_t median = latencies.percentile(0.5);
    CHECK(median >= latency);
    CHECK(median - latency <= latency / 64);
    CHECK(latencies.percentile(1) == ~std::uint64_t{0});
  }
  LatencyHistogram exact;
  exact.add(65535);
  exact.add(70000);
  CHECK(exact.percentile(0.5) == 65535);
  CHECK(exact.percentile(1) == 70000);  // no more than the longest
}

TEST_CASE("two histograms together", "[dram][latency]") {
  LatencyHistogram reads, writes, both;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t latency = i * i * 7 % 100003;
    (i % 3 == 0 ? writes : reads).add(latency);
    both.add(latency);
  }
  reads += writes;
  CHECK(reads.count() == both.count());
  CHECK(reads.mean() == both.mean());
  CHECK(reads.max() == both.max());
  for (const double share : {0.01, 0.5, 0.9, 0.99}) {
    CHECK(reads.percentile(share) == both.percentile(share));
  }
}
