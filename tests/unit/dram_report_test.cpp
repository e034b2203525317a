// SPDX-License-Identifier: Apache-2.0
// What is said of a memory alone under traffic: energy, report, table, progress.
#include "app/dram/dram_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "support/dram_runs.hpp"

#include "app/cli/text.hpp"
#include "app/dram/dram_progress.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("energy by command, bit and time", "[dram][energy]") {
  DramParams dram = dram_preset("hbm3_5200");  // bursts of 32 bytes
  dram.energy = {.activate_pj = 1000,
                 .read_pj_per_bit = 4,
                 .write_pj_per_bit = 3,
                 .io_pj_per_bit = 0.5,
                 .refresh_all_pj = 7000,
                 .refresh_bank_pj = 200,
                 .background_mw = 25};
  DramCounts counts;
  counts.reads = 10;
  counts.writes = 20;
  counts.forwarded_reads = counts.merged_writes = 1000;  // cost nothing
  counts.commands[static_cast<std::size_t>(DramCommand::act)] = 3;
  counts.commands[static_cast<std::size_t>(DramCommand::pre)] = 3;  // with the ACTs
  counts.commands[static_cast<std::size_t>(DramCommand::ref_all)] = 2;
  counts.commands[static_cast<std::size_t>(DramCommand::ref_bank)] = 5;
  const DramEnergySplit energy = energy_of(counts, dram, 2e-6);
  CHECK(energy.activate == Approx(3e-9));
  CHECK(energy.read == Approx(10 * 256 * 4e-12));
  CHECK(energy.write == Approx(20 * 256 * 3e-12));
  CHECK(energy.io == Approx(30 * 256 * 0.5e-12));
  CHECK(energy.refresh == Approx(15e-9));
  CHECK(energy.background == Approx(16 * 25e-3 * 2e-6));
  DramEnergySplit twice = energy;
  twice += energy;
  CHECK(twice.total() == Approx(2 * energy.total()));
  CHECK(energy.total() == Approx(3e-9 + 10.24e-9 + 15.36e-9 + 3.84e-9 + 15e-9 + 800e-9));
}

TEST_CASE("a report adds up", "[dram][report]") {
  const auto request = request_for("hbm3_5200", 4000, DramPace::run_ahead);
  const Json report = report_of(request, TrafficPattern::sequential);
  const auto number = [&](const char* pointer) {
    return report.at(Json::json_pointer(pointer)).get<double>();
  };
  CHECK(report["preset"] == "hbm3_5200");
  CHECK(number("/reads") == 3000);
  CHECK(number("/read_bytes") + number("/write_bytes") == number("/bytes"));
  CHECK(number("/gb_per_s") == Approx(number("/bytes") / number("/time_s") * 1e-9));
  CHECK(number("/share_of_peak") == Approx(number("/gb_per_s") / 665.6));
  CHECK(number("/time_s") == Approx(number("/cycles") / 1.3e9));
  const double bursts = number("/bursts/read") + number("/bursts/write");
  CHECK(bursts == 8000);
  CHECK(number("/row_hits") + number("/row_closed") + number("/row_conflicts") == bursts);
  CHECK(number("/commands/RD") == number("/bursts/read"));
  CHECK(number("/commands/WR") == number("/bursts/write"));
  CHECK(number("/channel_utilization/mean") == Approx(number("/share_of_peak")));
  CHECK(number("/channel_utilization/min") <= number("/channel_utilization/mean"));
  CHECK(number("/channel_utilization/max") >= number("/channel_utilization/mean"));
  double parts = 0;
  for (const auto& [name, joules] : report["energy_parts_j"].items()) parts += joules.get<double>();
  CHECK(parts == Approx(number("/energy_j")));
  CHECK(number("/pj_per_bit") == Approx(number("/energy_j") * 1e12 / number("/bytes") / 8));
  const double mean =
      0.75 * number("/read_latency_cycles/mean") + 0.25 * number("/write_latency_cycles/mean");
  CHECK(number("/latency_cycles/mean") == Approx(mean));
  CHECK(number("/host/requests_per_s") == 8000);
}

TEST_CASE("the table fits its columns", "[dram][report]") {
  const auto request = request_for("hbm2_2000", 3000, DramPace::run_ahead);
  for (const auto pattern : {TrafficPattern::sequential, TrafficPattern::mixed}) {
    const Json report = report_of(request, pattern);
    for (std::size_t columns = 1; columns < 140; ++columns) {
      std::istringstream lines(dram_table(report, columns));
      for (std::string line; std::getline(lines, line);) {
        CAPTURE(columns, line);
        CHECK(width_of(line) <= std::max<std::size_t>(columns, 40));
      }
    }
    const std::string table = dram_table(report, 80);
    CHECK_THAT(table, contains("hbm2_2000 (8 x 2 x 64 bits at 2 Gb/s, 256 GB/s, 16 GiB)"));
    CHECK_THAT(table, contains("3000 requests of 64 bytes, 2048 in flight"));
    CHECK_THAT(table, contains("\nwrite latency "));
  }
}

TEST_CASE("a progress line has what fits", "[dram][progress]") {
  const DramProgress progress{
      .requests = 4200000, .requests_per_s = 3121000, .share = 0.42, .seconds_left = 8};
  CHECK(dram_progress_text(progress, 79) ==
        "[####......]  42 %  4.200 Mrequests  0:08 left  3.121 Mrequests/s");
  CHECK(dram_progress_text(progress, 60) == " 42 %  4.200 Mrequests  0:08 left  3.121 Mrequests/s");
  CHECK(dram_progress_text(progress, 40) == " 42 %  4.200 Mrequests  0:08 left");
  CHECK(
      dram_progress_text(
          {.requests = 1, .requests_per_s = 2, .share = std::nullopt, .seconds_left = std::nullopt},
          79) == "1.000 requests  2.000 requests/s");
  for (std::size_t columns = 1; columns < 100; ++columns) {
    CHECK(width_of(dram_progress_text(progress, columns)) <= columns);
  }
}
