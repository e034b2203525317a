// SPDX-License-Identifier: Apache-2.0
// What is wrong with a memory or a standard is said with its path, all at once.
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"

using namespace tilewave;
using namespace tilewave::test;
using Lines = std::vector<std::string>;

namespace {

/// The errors of a preset, by default HBM2, with the value at `path` changed.
Lines with(const std::string& path, const Json& value, const std::string& name = "hbm2_2000") {
  DramFiles files(name);
  Diagnostics ignored;
  REQUIRE(set_value(files.preset, path, value, ignored));
  return files.errors();
}
/// Likewise of the standard; null removes a key.
Lines with_standard(const std::string& path, const Json& value) {
  DramFiles files("hbm2_2000");
  Diagnostics ignored;
  REQUIRE(set_value(files.standard, path, value, ignored));
  return files.errors();
}

}  // namespace

TEST_CASE("DRAM errors: organisation", "[dram]") {
  CHECK(with("organisation.channels", 0) ==
        Lines{"preset: organisation.channels: must be from 1 to 4096, is 0"});
  CHECK(with("organisation.banks", 3) ==
        Lines{"preset: organisation.banks: must be a power of two, is 3"});
  CHECK(with("organisation.pseudo_channels", 6) ==
        Lines{"preset: organisation.pseudo_channels: must be a power of two, is 6"});
  CHECK(with("organisation.row_bytes", 1000) ==
        Lines{"preset: organisation.row_bytes: must be a power of two, is 1000"});
  CHECK(
      with("organisation.row_bytes", 16) ==
      Lines{"preset: organisation.row_bytes: must be a multiple of the burst of 32 bytes, is 16"});
  CHECK(with("organisation", {{"channels", 1},
                              {"pseudo_channels", 2},
                              {"ranks", 1},
                              {"bank_groups", 4},
                              {"banks", 4},
                              {"rows", 64},
                              {"row_kib", 0.015625},
                              {"data_bits", 64},
                              {"burst_length", 4}}) ==
        Lines{"preset: organisation.row_kib: must be a multiple of the burst of 32 bytes, is 16"});
  DramFiles narrow("hbm2_2000");
  narrow.preset["organisation"]["data_bits"] = 1;
  CHECK(narrow.errors() == Lines{"preset: organisation.burst_length: a burst of 4 x 1 bits is no "
                                 "whole number of bytes"});
  CHECK(with("organisation.channels", 5) == Lines{});  // need not be a power of two
  CHECK(with("organisation.ranks", 64) ==
        Lines{"preset: timing_cycles: a REFpb every 122 cycles comes to each of 2048 banks every "
              "249856; a REFab comes every 3900"});
  DramFiles huge("hbm2_2000");
  huge.preset["organisation"]["ranks"] = 64;
  huge.preset["organisation"]["banks"] = 16;
  CHECK(huge.errors() ==
        Lines{"preset: organisation: a channel must have at most 4096 banks, has 8192"});
}

TEST_CASE("DRAM errors: timings", "[dram]") {
  CHECK(with("timing_cycles.nCL", nullptr) ==
        Lines{"preset: timing_cycles.nCL: is missing: an integer from 0 to 1000000 (command clock "
              "cycles)"});
  CHECK(with("timing_cycles.nCLL", 4) ==
        Lines{"preset: timing_cycles.nCLL: unknown key; did you mean \"nCL\"?"});
  CHECK(with("timing_cycles.nRAS", -1) ==
        Lines{"preset: timing_cycles.nRAS: must be from 0 to 1000000, is -1"});
  CHECK(with("timing_cycles.nBL", 0) ==
        Lines{"preset: timing_cycles.nBL: must be at least 1, is 0"});
  CHECK(with("timing_cycles.nBL", 3) ==
        Lines{"preset: timing_cycles.nBL: must divide the burst_length of 4, is 3"});
  CHECK(with("timing_cycles.nCCDL", 1) ==
        Lines{"preset: timing_cycles.nCCDL: must be at least nCCDS, 2, is 1"});
  CHECK(with("timing_cycles.nRC", 46) == Lines{"preset: timing_cycles.nRC: must be at least nRAS + "
                                               "nRP, 48, less one for their rounding, is 46"});
  CHECK(with("timing_cycles.nRC", 47) == Lines{});
  CHECK(with("timing_cycles.nRC", 33) ==
        Lines{"preset: timing_cycles.nRC: must be at least nRAS, 34, is 33",
              "preset: timing_cycles.nRC: must be at least nRAS + nRP, 48, less one for their "
              "rounding, is 33"});
  CHECK(with("timing_cycles.nRFC", 3900) ==
        Lines{"preset: timing_cycles: a REFab takes 3900 cycles and comes every 3900: nothing else "
              "gets done"});
  CHECK(with("timing_cycles.nRFC", 3899) == Lines{});
  CHECK(with("timing_cycles.nRREFD", 123) ==
        Lines{"preset: timing_cycles: a REFpb is due every 122 cycles, but may follow another only "
              "after 123"});
  CHECK(with("timing_cycles.nRFCpb", 122 * 32) ==
        Lines{"preset: timing_cycles: a REFpb takes 3904 cycles and comes to each bank every 3904: "
              "nothing else gets done"});
  CHECK(with("timing_cycles.nREFIpb", 123) ==
        Lines{"preset: timing_cycles: a REFpb every 123 cycles comes to each of 32 banks every "
              "3936; a REFab comes every 3900"});
  CHECK(with("data_rate_mbps", 0) ==
        Lines{"preset: data_rate_mbps: must be from 1 to 1000000, is 0"});
}

TEST_CASE("DRAM errors: an expression that comes to nothing", "[dram]") {
  CHECK(with("timing_cycles.nCWL", 20) ==  // 14 + 2 + 2 - 20
        Lines{"standard: rules[4].cycles: must come to at least 1; \"nCL + nBL + 2 - nCWL\" of "
              "hbm2_2000 comes to -2"});
  CHECK(with_standard("read_latency", "nBL - nCL") ==
        Lines{"standard: read_latency: must come to at least 1; \"nBL - nCL\" of hbm2_2000 comes "
              "to -12"});
  CHECK(with_standard("refresh_all.interval", "nREFI - 3900") ==
        Lines{"standard: refresh_all.interval: must come to at least 1; \"nREFI - 3900\" of "
              "hbm2_2000 comes to 0"});
}

TEST_CASE("DRAM errors: the standard", "[dram]") {
  CHECK(with_standard("rules[0].cycles", "nCCDX") ==
        Lines{"standard: rules[0].cycles: there is no timing \"nCCDX\"; did you mean \"nCCDL\"?"});
  CHECK(with_standard("rules[0].cycles", "nBL *2") ==
        Lines{"standard: rules[0].cycles: must be names of timings and whole numbers joined by + "
              "and -, is \"nBL *2\""});
  CHECK(with_standard("rules[3].cycles", nullptr) ==
        Lines{"standard: rules[3].cycles: is missing: a string (clock cycles to wait, an "
              "expression of timings)"});
  CHECK(with_standard("rules[3].level", "bankgroup") ==
        Lines{"standard: rules[3].level: must be one of channel, pseudo_channel, rank, bank_group, "
              "bank, is \"bankgroup\"; did you mean \"bank_group\"?"});
  CHECK(with_standard("rules[3].to", Json::array()) ==
        Lines{"standard: rules[3].to: must name at least one command"});
  CHECK(with_standard("rules[3].resolved_cycles", 3) ==
        Lines{"standard: rules[3].resolved_cycles: is 3, but \"nCCDS\" comes to 2"});
  CHECK(with_standard("rules[3].window", 0) ==
        Lines{"standard: rules[3].window: must be from 1 to 64, is 0"});
  CHECK(with_standard("command_half_cycles.ACT", 1.5) ==
        Lines{"standard: command_half_cycles.ACT: must be an integer"});
  CHECK(with_standard("refresh_all.scope", "bank") ==
        Lines{"standard: refresh_all.scope: must be one of channel, pseudo_channel, rank, is "
              "\"bank\"; did you mean \"rank\"?"});
  CHECK(with_standard("read_latencies", "nCL") ==
        Lines{"standard: read_latencies: unknown key; did you mean \"read_latency\"?"});
  DramFiles siblings("hbm2_2000");
  siblings.standard["rules"][0]["level"] = "channel";
  siblings.standard["rules"][0]["sibling"] = true;
  CHECK(siblings.errors() == Lines{"standard: rules[0].sibling: channels have nothing in common "
                                   "that a rule could be about"});
  DramFiles unnamed("hbm2_2000");
  unnamed.standard["timings"].erase(0);  // nBL
  CHECK(unnamed.errors().front() ==
        "preset: timing_cycles.nBL: unknown key; did you mean \"nCL\"?");
  CHECK(unnamed.errors().at(1) ==
        "standard: timings: must have \"nBL\", the cycles of a burst on the data bus");
}

TEST_CASE("DRAM errors: controller", "[dram]") {
  CHECK(with("controller", {{"write_low_watermark", 0.8}}) ==
        Lines{"preset: controller.write_low_watermark: must be below write_high_watermark, 0.8, is "
              "0.8"});
  CHECK(with("controller", {{"page_policy", "opened"}}) ==
        Lines{"preset: controller.page_policy: must be one of open, closed, is \"opened\"; did you "
              "mean \"open\"?"});
  CHECK(with("controller", {{"scheduler", "frfcfs"}}) ==
        Lines{"preset: controller.scheduler: must be one of fr_fcfs, ready_first, fcfs, is "
              "\"frfcfs\"; did you mean \"fr_fcfs\"?"});
  CHECK(with("controller", {{"read_queue", 0}}) ==
        Lines{"preset: controller.read_queue: must be from 1 to 4096, is 0"});
  CHECK(with("controller", {{"refresh", "per_bank"}}) == Lines{});
  CHECK(with("controller", {{"refresh", "per_bank"}}, "ddr4_3200") ==
        Lines{"preset: controller.refresh: the standard has no per-bank refresh"});
}

TEST_CASE("DRAM errors: address map", "[dram]") {
  const auto order = [](const Json& slices) { return with("address_map.order", slices); };
  CHECK(order({"column:6", "pseudo_channel", "bank_group", "bank", "row"}) ==
        Lines{"preset: address_map.order: has 6 bits of column, which has 5"});
  CHECK(order({"column:4", "pseudo_channel", "bank_group", "row"}) ==
        Lines{"preset: address_map.order: has 4 bits of column, which has 5",
              "preset: address_map.order: has 0 bits of bank, which has 2"});
  CHECK(order({"column", "column", "pseudo_channel", "bank_group", "bank", "row"}) ==
        Lines{"preset: address_map.order: has column twice without a number of bits"});
  CHECK(order({"row", "column", "pseudo_channel", "bank_group", "bank"}) ==
        Lines{"preset: address_map.order: must end with row, which takes all bits that are left of "
              "an address"});
  CHECK(order({"col", "row"}) ==
        Lines{"preset: address_map.order: unknown field \"col\"; may be column, pseudo_channel, "
              "rank, bank_group, bank, row"});
  CHECK(
      order({"column:x", "row"}) ==
      Lines{"preset: address_map.order: \"column:x\" must have from 1 to 63 bits after the colon"});
  CHECK(order(Json::array()) ==
        Lines{"preset: address_map.order: is missing; it lists the slices of the address"});
  // Bits split over slices, and a rank of no bits left out, are fine.
  CHECK(order({"row:3", "column:2", "bank:1", "column", "bank", "pseudo_channel", "bank_group",
               "row"}) == Lines{});
  // Groups of 8 rows below the topmost slice must be whole.
  DramFiles odd("hbm2_2000");
  odd.preset["address_map"]["order"] = {"row:3",          "column",     "bank",
                                        "pseudo_channel", "bank_group", "row"};
  odd.preset["organisation"]["rows"] = 3 * 4096;
  CHECK(odd.errors() == Lines{});
  odd.preset["organisation"]["rows"] = 3 * 4096 + 4;
  CHECK(odd.errors() ==
        Lines{"preset: address_map.order: has 3 bits of row below the topmost slice: "
              "8 must divide the 12292 rows"});

  CHECK(with("address_map.interleave_bytes", 48) ==
        Lines{"preset: address_map.interleave_bytes: must be a multiple of the burst of 32 bytes, "
              "is 48"});
  CHECK(with("address_map.interleave_bytes", 96) ==
        Lines{"preset: address_map.interleave_bytes: must be a power of two times the burst of 32 "
              "bytes, is 96"});
  CHECK(with("address_map.interleave_bytes", Count{1} << 32) ==
        Lines{"preset: address_map.interleave_bytes: must be at most a channel's 2147483648 bytes, "
              "is 4294967296"});
  DramFiles coarse("hbm2_2000");  // channels of 384 MiB
  coarse.preset["organisation"]["rows"] = 3 * 4096;
  coarse.preset["address_map"]["interleave_bytes"] = Count{1} << 28;
  CHECK(coarse.errors().size() == 1);
  CHECK_THAT(coarse.errors().front(), contains("must divide a channel's"));
  CHECK(with("address_map.xor[0].source", "pseudo_channel") ==
        Lines{"preset: address_map.xor[0].source: must be another field than the target, or two "
              "addresses become one"});
  CHECK(with("address_map.xor[0].target", "row") ==
        Lines{"preset: address_map.xor[0].target: must be one of column, pseudo_channel, rank, "
              "bank_group, bank, is \"row\""});
}

TEST_CASE("DRAM errors: energy", "[dram]") {
  CHECK(with("energy.refresh_bank_pj", nullptr) ==
        Lines{"preset: energy.refresh_bank_pj: is missing: a number from 0 to 1000000000000 (a "
              "REFpb)"});
  CHECK(with("energy.refresh_bank_pj", 5, "ddr4_3200") ==
        Lines{"preset: energy.refresh_bank_pj: unknown key; did you mean \"refresh_all_pj\"?"});
  CHECK(with("energy.io_pj_per_bit", -1).front() ==
        "preset: energy.io_pj_per_bit: must be from 0 to 1000000000000, is -1");
}

TEST_CASE("DRAM errors are reported together", "[dram]") {
  DramFiles files("hbm2_2000");
  files.preset["organisation"]["banks"] = 3;
  files.preset["timing_cycles"].erase("nCL");
  files.preset["energy"]["activate_pj"] = "much";
  files.preset["organization"] = 1;
  files.standard["rules"][0]["cycles"] = "nXX";
  CHECK(files.errors() ==
        Lines{"preset: organisation.banks: must be a power of two, is 3",
              "preset: timing_cycles.nCL: is missing: an integer from 0 to 1000000 (command clock "
              "cycles)",
              "standard: rules[0].cycles: there is no timing \"nXX\"",
              "preset: energy.activate_pj: must be a number from 0 to 1000000000000, is the string "
              "\"much\"",
              "preset: organization: unknown key; did you mean \"organisation\"?"});
}

TEST_CASE("DRAM errors: rules that the controllers cannot keep", "[dram]") {
  const auto rule = [](const char* level, Json from, Json to) {
    return Json{
        {"level", level}, {"from", std::move(from)}, {"to", std::move(to)}, {"cycles", "4"}};
  };
  Json sibling = rule("bank", {"ACT"}, {"ACT"}), window = sibling;
  sibling["sibling"] = true;
  window["window"] = 4;
  const auto only = [](const Json& each) { return with_standard("rules[0]", each); };
  CHECK(only(sibling) ==
        Lines{"standard: rules[0].sibling: a rule between banks is one of their bank group"});
  CHECK(only(window) == Lines{"standard: rules[0].window: a bank keeps no windows"});
  CHECK(only(rule("bank_group", {"PREA"}, {"ACT"})) ==
        Lines{"standard: rules[0].level: PREA and REFab are of a whole pseudo_channel: not of a "
              "level below"});
  CHECK(only(rule("bank_group", {"RD"}, {"ACT"})) ==
        Lines{"standard: rules[0].level: with a split command bus, ACT and PRE wait for RD and WR "
              "of their own bank only"});
}
