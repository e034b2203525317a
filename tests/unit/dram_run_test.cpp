// SPDX-License-Identifier: Apache-2.0
// A memory alone under traffic: when requests go in, what is counted.
#include "app/dram/dram_run.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_runs.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// Given requests, one after another.
class ListTraffic final : public TrafficSource {
 public:
  explicit ListTraffic(std::vector<DramAccess> accesses) : accesses_(std::move(accesses)) {}
  [[nodiscard]] bool next(DramAccess& access) override {
    if (at_ == accesses_.size()) return false;
    access = accesses_[at_++];
    return true;
  }

 private:
  std::vector<DramAccess> accesses_;
  std::size_t at_ = 0;
};

Count command(const DramRunResult& result, DramCommand command) {
  return result.counts.commands[static_cast<std::size_t>(command)];
}

}  // namespace

TEST_CASE("fast and detailed give the same report", "[dram][run]") {
  for (const char* preset : {"ddr4_3200", "hbm3_5200", "gddr6_14000"}) {
    for (std::size_t i = 0; i < traffic_pattern_names().size(); ++i) {
      const auto pattern = static_cast<TrafficPattern>(i);
      CAPTURE(preset, to_string(pattern));
      auto request = request_for(preset, 3000, DramPace::run_ahead);
      const Json fast = report_of(request, pattern);
      request.pace = DramPace::lock_step;
      CHECK(report_of(request, pattern) == fast);
      CHECK(fast["requests"] == 3000);
      CHECK(fast["share_of_peak"] > 0.1);
      CHECK(fast["share_of_peak"] <= 1.0);
    }
  }
}

TEST_CASE("one request at a time shows the latency of each row state", "[dram][run]") {
  auto request = request_for("ddr4_3200", 4, DramPace::run_ahead);
  request.in_flight = 1;
  const DramParams& dram = request.dram;
  const auto n = [&](const char* name) { return static_cast<std::uint64_t>(dram.timing(name)); };
  const std::uint64_t column = n("nCL") + n("nBL");
  ListTraffic twice({{.address = 0}, {.address = 32}});  // the same burst: closed, then open
  const DramRunResult result = run_dram(request, twice);
  CHECK(result.reads == 2);
  CHECK(result.read_ticks.max() == n("nRCD") + column);
  CHECK(result.read_ticks.percentile(0) == column);
  CHECK(result.counts.row_closed == 1);
  CHECK(result.counts.row_hits == 1);
  // The second one is submitted one tick after the first one is done.
  CHECK(result.cycles == n("nRCD") + column + 1 + column);
  CHECK(result.seconds == static_cast<double>(result.cycles) / 1.6e9);
}

TEST_CASE("cycles of a memory with half cycles are rounded up", "[dram][run]") {
  auto request = request_for("hbm3_5200", 1, DramPace::lock_step);
  ListTraffic one({DramAccess{.address = 0}});
  const DramRunResult result = run_dram(request, one);
  CHECK(result.ticks_per_cycle == 2);
  const auto ticks = result.read_ticks.max();
  CHECK(result.cycles == (ticks + 1) / 2);
}

TEST_CASE("requests in flight", "[dram][run]") {
  // Eight times 64 bursts of 64 bytes on a channel; eight times 16 x 64 bursts of 32 bytes.
  CHECK(default_in_flight(dram_preset("ddr4_3200"), 64) == 512);
  CHECK(default_in_flight(dram_preset("hbm3_5200"), 64) == 4096);
  CHECK(default_in_flight(dram_preset("hbm3_5200"), 32768) == 16);
  DramParams many = dram_preset("ddr4_3200");
  many.organisation.channels = 4096;
  CHECK(default_in_flight(many, 64) == 4096);
  CHECK(most_in_flight(many) == 4096);
  CHECK(most_in_flight(dram_preset("ddr4_3200")) == 65536);

  // More at a time are never slower in all.
  Cycle before = kNever;
  for (const std::size_t in_flight : {1U, 2U, 8U, 64U}) {
    auto request = request_for("hbm2_2000", 2000, DramPace::run_ahead);
    request.in_flight = in_flight;
    PatternTraffic traffic(traffic_for(request, TrafficPattern::sequential));
    const Cycle cycles = run_dram(request, traffic).cycles;
    CHECK(cycles < before);
    before = cycles;
  }
}

TEST_CASE("addresses are aligned and wrap at the capacity", "[dram][run]") {
  const auto request = request_for("ddr4_3200", 100, DramPace::run_ahead);
  const Bytes capacity = request.dram.capacity_bytes();
  ListTraffic traffic({{.address = capacity}, {.address = 63}, {.address = ~std::uint64_t{0}}});
  const DramRunResult result = run_dram(request, traffic);
  CHECK(result.wrapped == 2);
  CHECK(result.requests() == 3);
  CHECK(result.counts.reads == 3);  // none reaches over two bursts
  CHECK(result.counts.row_hits == 1);
}

TEST_CASE("a run ends with its source or its limit", "[dram][run]") {
  auto request = request_for("ddr3_2133", 5, DramPace::run_ahead);
  std::vector<DramAccess> accesses(20, DramAccess{.address = 4096, .write = true});
  ListTraffic longer(accesses);
  const DramRunResult limited = run_dram(request, longer);
  CHECK(limited.writes == 5);
  CHECK(limited.counts.writes + limited.counts.merged_writes == 5);
  request.requests = 50;
  ListTraffic shorter(accesses);
  CHECK(run_dram(request, shorter).writes == 20);
}

TEST_CASE("progress is told, and may stop the run", "[dram][run]") {
  auto request = request_for("ddr4_3200", 10000, DramPace::run_ahead);
  std::vector<Count> told;
  request.progress = [&](Count done) { told.push_back(done); };
  PatternTraffic traffic(traffic_for(request, TrafficPattern::sequential));
  (void)run_dram(request, traffic);
  CHECK(told == std::vector<Count>{4096, 8192, 10000});
  request.progress = [](Count) { throw std::runtime_error("stop"); };
  CHECK_THROWS_WITH(run_dram(request, traffic), "stop");
}

TEST_CASE("refreshes are counted to the end, also of a channel without requests", "[dram][run]") {
  auto request = request_for("hbm2_2000", 20000, DramPace::run_ahead);
  request.in_flight = 1;
  std::vector<DramAccess> accesses(20000);  // all to one channel
  ListTraffic traffic(accesses);
  const DramRunResult result = run_dram(request, traffic);
  const auto interval = static_cast<Cycle>(request.dram.refresh_all_interval_cycles);
  REQUIRE(result.cycles > 50 * interval);
  const Count scopes = 8 * 2;  // a pseudo-channel each
  const Count due = result.cycles / interval * scopes;
  CHECK(command(result, DramCommand::ref_all) <= due);
  CHECK(command(result, DramCommand::ref_all) >= due - scopes);
  const double share = refresh_share(request.dram, result.counts, result.cycles);
  CHECK(share ==
        Approx(static_cast<double>(request.dram.timing("nRFC")) / static_cast<double>(interval))
            .epsilon(0.03));
}

TEST_CASE("share of refreshes, bank by bank", "[dram][run]") {
  const DramParams dram = dram_preset("hbm3_5200");
  DramCounts counts;
  counts.commands[static_cast<std::size_t>(DramCommand::ref_bank)] = 1024;
  // 16 channels of 64 banks, each once for nRFCpb = 260 cycles.
  CHECK(refresh_share(dram, counts, 2600) == Approx(0.1));
  counts.commands[static_cast<std::size_t>(DramCommand::ref_bank)] = 0;
  counts.commands[static_cast<std::size_t>(DramCommand::ref_all)] = 32;  // each pseudo-channel
  CHECK(refresh_share(dram, counts, 4550) == Approx(0.1));
  CHECK(refresh_share(dram, counts, 0) == 0);
}
