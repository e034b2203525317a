// SPDX-License-Identifier: Apache-2.0
// Presets and standards of DRAM: what they come to.
#include "arch/memory/dram/dram_config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"

#include "arch/memory/dram/dram_expression.hpp"

using namespace tilewave;
using namespace tilewave::test;
using Catch::Matchers::WithinRel;

namespace {

/// The longest wait of rules of this level, window and kind; -1: there is none.
std::int64_t wait(const DramParams& dram, DramLevel level, DramCommand from, DramCommand to,
                  unsigned window = 1, bool sibling = false) {
  const auto has = [](const std::vector<DramCommand>& list, DramCommand command) {
    return std::find(list.begin(), list.end(), command) != list.end();
  };
  std::int64_t longest = -1;
  for (const DramTimingRule& rule : dram.rules) {
    if (rule.level == level && rule.window == window && rule.sibling == sibling &&
        has(rule.from, from) && has(rule.to, to)) {
      longest = std::max(longest, rule.cycles);
    }
  }
  return longest;
}

using enum DramCommand;
constexpr auto kPseudo = DramLevel::pseudo_channel;
constexpr auto kGroup = DramLevel::bank_group;
constexpr auto kBank = DramLevel::bank;

}  // namespace

TEST_CASE("DRAM presets: bandwidth, size, clock, burst", "[dram]") {
  struct Row {
    const char* name;
    double gb_per_s, mhz;
    Count gib, channels;
    Bytes burst_bytes;
    std::int64_t read_latency;
  };
  // GB/s = Mb/s x bits / 8000, of one pin to all data buses: 2000 x 64 x 2 x 8 / 8000 = 256.
  const Row rows[] = {{"ddr3_2133", 17.064, 1066.5, 4, 1, 64, 12 + 4},
                      {"ddr4_3200", 25.6, 1600, 8, 1, 64, 22 + 4},
                      {"lpddr4x_4266", 34.128, 2133, 8, 4, 32, 36 + 4 + 8},
                      {"lpddr5_6400", 51.2, 800, 8, 4, 32, 17 + 2},
                      {"gddr5_7000", 28, 1750, 1, 1, 32, 24 + 2},
                      {"gddr5x_11000", 44, 1375, 1, 1, 64, 19 + 2},
                      {"gddr6_14000", 56, 1750, 1, 2, 32, 24 + 2},
                      {"hbm_1000", 128, 500, 1, 8, 32, 7 + 1},
                      {"hbm2_2000", 256, 1000, 16, 8, 32, 14 + 2},
                      {"hbm2_2400", 307.2, 1200, 16, 8, 32, 17 + 2},
                      {"hbm2e_3200", 409.6, 1600, 16, 8, 32, 23 + 2},
                      {"hbm3_5200", 665.6, 1300, 16, 16, 32, 17 + 2},
                      {"hbm3e_8000", 1024, 2000, 32, 16, 32, 25 + 2},
                      {"hbm4_8000", 2048, 2000, 32, 32, 32, 20 + 2}};
  for (const Row& row : rows) {
    INFO(row.name);
    DramFiles files(row.name);
    const DramParams dram = files.read();
    CHECK(files.diagnostics.errors().empty());
    CHECK(files.diagnostics.warnings().empty());
    CHECK(dram.name == row.name);
    CHECK_THAT(dram.peak_gb_per_s(), WithinRel(row.gb_per_s, 1e-12));
    CHECK(static_cast<double>(dram.clock().khz) == row.mhz * 1000);
    CHECK(dram.capacity_bytes() == row.gib << 30);
    CHECK(dram.organisation.channels == row.channels);
    CHECK(dram.organisation.burst_bytes() == row.burst_bytes);
    CHECK(dram.read_latency_cycles == row.read_latency);
    CHECK(dram.controller.refresh == DramRefresh::all_bank);
    // A burst of the data bus is nBL cycles: that is what peak and clock agree upon.
    const auto bytes_per_cycle =
        static_cast<double>(dram.organisation.burst_bytes() * dram.organisation.pseudo_channels *
                            dram.organisation.channels) /
        static_cast<double>(dram.timing("nBL"));
    CHECK_THAT(bytes_per_cycle * dram.clock().ghz(), WithinRel(row.gb_per_s, 1e-6));
  }
}

TEST_CASE("HBM3 at its full 6.4 Gb/s is 819.2 GB/s", "[dram]") {
  DramFiles files("hbm3_5200");
  files.preset["data_rate_mbps"] = 6400;
  const DramParams dram = files.read();
  CHECK(files.diagnostics.ok());
  CHECK_THAT(dram.peak_gb_per_s(), WithinRel(819.2, 1e-12));
  CHECK(dram.clock().khz == 1'600'000);
}

TEST_CASE("the rules of HBM2 at 2 Gb/s in cycles", "[dram]") {
  const DramParams dram = dram_preset("hbm2_2000");
  struct Row {
    DramLevel level;
    DramCommand from, to;
    std::int64_t cycles;
    unsigned window = 1;
  };
  // nCL 14, nBL 2, nCWL 5, nRCDRD 14, nRCDWR 12, nRP 14, nRAS 34, nRC 48, nWR 16, nRTPL 5.
  const Row rows[] = {{kPseudo, rd, rd, 2},
                      {kPseudo, wr, wr_ap, 2},
                      {kPseudo, rd, wr, 14 + 2 + 2 - 5},  // the bus turns round
                      {kPseudo, wr_ap, rd, 5 + 2 + 6},    // nWTRS
                      {kGroup, rd_ap, rd, 4},
                      {kGroup, wr, wr, 4},
                      {kGroup, wr, rd, 5 + 2 + 8},  // nWTRL
                      {kPseudo, act, act, 4},
                      {kPseudo, act, act, 15, 4},
                      {kGroup, act, act, 4},
                      {kBank, act, act, 48},
                      {kBank, act, rd, 14},
                      {kBank, act, wr, 12},
                      {kBank, act, pre, 34},
                      {kPseudo, act, pre_all, 34},
                      {kBank, pre, act, 14},
                      {kPseudo, pre_all, act, 14},
                      {kBank, rd, pre, 5},
                      {kBank, wr, pre, 5 + 2 + 16},
                      {kBank, rd_ap, act, 5 + 14},
                      {kBank, wr_ap, act, 5 + 2 + 16 + 14},
                      {kPseudo, rd, pre_all, 5},
                      {kPseudo, wr, pre_all, 5 + 2 + 16},
                      {kPseudo, act, ref_all, 48},
                      {kPseudo, pre, ref_all, 14},
                      {kPseudo, wr_ap, ref_all, 37},
                      {kPseudo, ref_all, act, 350},
                      {kPseudo, ref_all, ref_bank, 350},
                      {kPseudo, ref_bank, ref_bank, 8},
                      {kPseudo, ref_bank, act, 8},
                      {kBank, ref_bank, act, 160},
                      {kPseudo, ref_bank, ref_all, 160},
                      {kBank, pre, ref_bank, 14},
                      {kPseudo, pre_all, ref_bank, 14},
                      {kBank, wr_ap, ref_bank, 37}};
  for (const Row& row : rows) {
    INFO(to_string(row.level) << ": " << to_string(row.from) << " -> " << to_string(row.to));
    CHECK(wait(dram, row.level, row.from, row.to, row.window) == row.cycles);
  }
  CHECK(dram.rules.size() == 42);
  CHECK(wait(dram, DramLevel::channel, rd, rd) == -1);  // pseudo-channels do not meet on data
  CHECK(dram.refresh_all_interval_cycles == 3900);
  CHECK(dram.refresh_bank_interval_cycles == 122);
  CHECK(dram.write_latency_cycles == 5 + 2);
  CHECK(dram.standard.split_command_bus);
  CHECK_FALSE(dram.standard.half_cycle_precharge);
  CHECK_FALSE(dram.standard.effect_at_last_cycle);
  CHECK(dram.standard.command_half_cycles == std::map<DramCommand, unsigned>{{act, 4}});
  CHECK(dram.standard.refresh_all_scope == kPseudo);
}

TEST_CASE("between ranks the data are apart, or there is no wait", "[dram]") {
  constexpr auto kRank = DramLevel::rank;
  const DramParams ddr3 = dram_preset("ddr3_2133");  // nCL 12, nCWL 10, nBL 4, nCS 2
  CHECK(wait(ddr3, kRank, rd, rd, 1, true) == 4 + 2);
  CHECK(wait(ddr3, kRank, rd, wr, 1, true) == 12 + 4 + 2 - 10);
  CHECK(wait(ddr3, kRank, wr, wr, 1, true) == 4 + 2);
  CHECK(wait(ddr3, kRank, wr, rd, 1, true) == 10 + 4 + 2 - 12);
  const DramParams lpddr5 = dram_preset("lpddr5_6400");  // nCWL 9 + 2 + 2 - nCL 17 is below 0
  CHECK(wait(lpddr5, kRank, wr, rd, 1, true) == 0);
  CHECK(wait(lpddr5, kRank, rd, wr, 1, true) == 17 + 2 + 2 - 9);
  const DramParams hbm3 = dram_preset("hbm3_5200");
  CHECK(wait(hbm3, kRank, rd, rd, 1, true) == hbm3.timing("nCCDR"));
}

TEST_CASE("timings in nanoseconds are kept at another clock", "[dram]") {
  // Rounded up, at most a cycle longer: 14 ns of HBM2 is 22.4 cycles of 0.625 ns.
  const DramParams hbm2 = dram_preset("hbm2_2000"), hbm2e = dram_preset("hbm2e_3200");
  for (const char* name :
       {"nCL", "nRCDRD", "nRCDWR", "nRP", "nRAS", "nRC", "nWR", "nRTPL", "nCWL", "nRRDS", "nRRDL",
        "nFAW", "nWTRS", "nWTRL", "nRFC", "nRFCpb", "nRREFD"}) {
    INFO(name);
    const auto exact = static_cast<double>(hbm2.timing(name)) * 1.6;
    CHECK(static_cast<double>(hbm2e.timing(name)) >= exact - 1e-9);
    CHECK(static_cast<double>(hbm2e.timing(name)) < exact + 1);
  }
  CHECK(dram_preset("hbm3e_8000").timing("nRC") == 90);  // 45 ns
}

TEST_CASE("a memory read, written and read again is the same", "[dram]") {
  for (const char* name : {"ddr3_2133", "ddr4_3200", "lpddr4x_4266", "lpddr5_6400", "gddr5_7000",
                           "gddr6_14000", "hbm_1000", "hbm2_2000", "hbm3e_8000", "hbm4_8000"}) {
    INFO(name);
    const Json once = to_json(dram_preset(name));
    DramFiles again(name);
    again.preset = once;
    again.standard = once.at("standard");
    again.preset["standard"] = "in the file";
    const DramParams dram = again.read();
    CHECK(again.diagnostics.errors().empty());
    CHECK(to_json(dram) == once);
  }
}

TEST_CASE("a resolved memory shows what each expression comes to", "[dram]") {
  const Json json = to_json(dram_preset("hbm2_2000"));
  const Json& rule = json.at("standard").at("rules").at(4);
  CHECK(rule.dump() ==
        R"({"level":"pseudo_channel","from":["RD","RDA"],"to":["WR","WRA"],)"
        R"("cycles":"nCL + nBL + 2 - nCWL","resolved_cycles":13,"window":1,"sibling":false})");
  CHECK(json.at("address_map").at("order").dump() ==
        R"(["column:1","pseudo_channel:1","bank_group:2","column:4","bank:2","row:16"])");
  CHECK(json.at("timing_cycles").at("nFAW") == 15);
  CHECK(json.at("controller").at("refresh") == "all_bank");
}

TEST_CASE("expressions of timings", "[dram]") {
  const std::map<std::string, std::int64_t> timings{{"nCL", 14}, {"nCWL", 5}, {"nBL_max", 4}};
  const auto value = [&](const char* text) { return evaluate_timing(text, timings).value; };
  CHECK(value("nCL") == 14);
  CHECK(value(" nCL+nBL_max ") == 18);
  CHECK(value("nCWL - nCL + 2") == -7);
  CHECK(value("12") == 12);
  CHECK(value("nCL - nCL - nCL") == -14);
  const auto fault = [&](const char* text) { return evaluate_timing(text, timings).fault; };
  CHECK(fault("nCLL + 1") == R"(there is no timing "nCLL"; did you mean "nCL"?)");
  const std::string form = "must be names of timings and whole numbers joined by + and -, is ";
  for (const char* text : {"", "nCL +", "- nCL", "nCL nCWL", "nCL * 2", "(nCL)", "nCL + + 1"}) {
    CHECK(fault(text) == form + '"' + text + '"');
  }
  CHECK(fault("2nCL") == R"("2nCL" is no whole number up to 1000000000)");
  CHECK(fault("99999999999999999999") ==
        R"("99999999999999999999" is no whole number up to 1000000000)");
}
