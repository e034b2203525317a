// SPDX-License-Identifier: Apache-2.0
// Which command waits how long, of which banks.
#include "arch/memory/dram/dram_timing.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace tilewave;
using enum DramCommand;
using enum DramLevel;
using Wait = DramWait;

namespace {

/// 2 pseudo-channels x 2 ranks x 2 bank groups x 4 banks: 32 banks, 8 groups.
DramParams memory(std::vector<DramTimingRule> rules) {
  DramParams dram;
  dram.organisation = {.channels = 1,
                       .pseudo_channels = 2,
                       .ranks = 2,
                       .bank_groups = 2,
                       .banks = 4,
                       .rows = 64,
                       .row_bytes = 256,
                       .data_bits = 64,
                       .burst_length = 4};
  dram.rules = std::move(rules);
  return dram;
}

/// Banks for which the command may not go before `tick`: "4-7 16-31".
std::string waiting(const DramTiming& timing, Wait wait, DramTick tick) {
  std::string text;
  for (std::size_t bank = 0; bank < timing.tables().banks();) {
    const auto waits = [&](std::size_t b) {
      return b < timing.tables().banks() && timing.ready(wait, b) >= tick;
    };
    if (!waits(bank)) {
      ++bank;
      continue;
    }
    std::size_t last = bank;
    while (waits(last + 1)) ++last;
    if (!text.empty()) text += ' ';
    text += std::to_string(bank);
    if (last > bank) text += '-' + std::to_string(last);
    bank = last + 1;
  }
  return text;
}

}  // namespace

TEST_CASE("DRAM timing: a rule is about the node of its level", "[dram]") {
  struct Row {
    DramLevel level;
    bool sibling;
    std::size_t bank;  // of the ACT
    const char* waiting;
  };
  const Row rows[] = {
      {channel, false, 9, "0-31"},
      {pseudo_channel, false, 9, "0-15"},
      {pseudo_channel, false, 31, "16-31"},
      {rank, false, 9, "8-15"},
      {rank, false, 0, "0-7"},
      {bank_group, false, 9, "8-11"},
      {bank_group, false, 30, "28-31"},
      {bank, false, 9, "9"},
      {pseudo_channel, true, 9, "16-31"},
      {rank, true, 9, "0-7"},
      {rank, true, 17, "24-31"},
      {bank_group, true, 9, "12-15"},
      {bank_group, true, 15, "8-11"},
  };
  for (const Row& row : rows) {
    INFO(to_string(row.level) << (row.sibling ? " sibling" : "") << " of bank " << row.bank);
    DramTiming timing(memory({{.level = row.level,
                               .from = {act},
                               .to = {act},
                               .expression = "n",
                               .cycles = 10,
                               .sibling = row.sibling}}));
    CHECK(waiting(timing, DramWait::act, 1).empty());
    timing.issue(act, row.bank, 100);
    CHECK(waiting(timing, DramWait::act, 110) == row.waiting);
    CHECK(waiting(timing, DramWait::act, 111).empty());
    CHECK(waiting(timing, DramWait::rd, 1).empty());
    timing.issue(pre, row.bank, 200);  // no rule is about it
    CHECK(waiting(timing, DramWait::act, 111).empty());
  }
}

TEST_CASE("DRAM timing: an only child has no siblings", "[dram]") {
  DramParams dram = memory(
      {{.level = rank, .from = {rd}, .to = {rd}, .expression = "n", .cycles = 9, .sibling = true}});
  dram.organisation.ranks = 1;
  DramTiming timing(dram);
  timing.issue(rd, 0, 100);
  CHECK(waiting(timing, DramWait::rd, 1).empty());
}

TEST_CASE("DRAM timing: the later of what several rules say counts", "[dram]") {
  DramTiming timing(memory({
      {.level = channel, .from = {rd}, .to = {rd}, .expression = "a", .cycles = 2},
      {.level = channel, .from = {rd, rd_ap}, .to = {rd}, .expression = "b", .cycles = 3},
      {.level = bank_group, .from = {rd, rd_ap}, .to = {rd, rd_ap}, .expression = "c", .cycles = 5},
      {.level = bank, .from = {rd}, .to = {pre}, .expression = "d", .cycles = 7},
      {.level = rank, .from = {rd_ap}, .to = {act}, .expression = "e", .cycles = 30},
  }));
  timing.issue(rd, 0, 100);
  CHECK(waiting(timing, DramWait::rd, 103) == "0-31");
  CHECK(waiting(timing, DramWait::rd, 104) == "0-3");
  CHECK(timing.ready(DramWait::rd, 1) == 105);
  CHECK(timing.ready(DramWait::pre, 0) == 107);
  CHECK(timing.ready(DramWait::pre, 1) == 0);
  CHECK(timing.ready(DramWait::act, 0) == 0);
  // Another group later: the first one still waits for its own.
  timing.issue(rd_ap, 4, 103);
  CHECK(timing.ready(DramWait::rd, 0) == 106);
  CHECK(timing.ready(DramWait::rd, 4) == 108);
  CHECK(waiting(timing, DramWait::act, 133) == "0-7");
  // What is forbidden until later stays so.
  timing.issue(rd, 4, 104);
  CHECK(timing.ready(DramWait::act, 0) == 133);
}

TEST_CASE("DRAM timing: RD and RDA wait alike, as do WR and WRA", "[dram]") {
  const std::vector<std::pair<DramCommand, Wait>> waits = {
      {act, DramWait::act},  {pre, DramWait::pre},         {pre_all, DramWait::pre_all},
      {rd, DramWait::rd},    {rd_ap, DramWait::rd},        {wr, DramWait::wr},
      {wr_ap, DramWait::wr}, {ref_all, DramWait::ref_all}, {ref_bank, DramWait::ref_bank},
  };
  CHECK(waits.size() == kDramCommands);
  for (const auto& [command, wait] : waits) {
    INFO(to_string(command));
    CHECK(DramTimingTables::wait_of(command) == wait);
    DramTiming timing(memory(
        {{.level = rank, .from = {ref_all}, .to = {command}, .expression = "n", .cycles = 8}}));
    timing.issue(ref_all, 8, 50);
    CHECK(waiting(timing, wait, 58) == "8-15");
    CHECK(waiting(timing, wait, 59).empty());
    for (const auto& [other, other_wait] : waits) {
      if (other_wait != wait) CHECK(waiting(timing, other_wait, 1).empty());
    }
  }
}

TEST_CASE("DRAM timing: windows", "[dram]") {
  SECTION("the fifth ACT waits for the first") {
    DramTiming timing(memory({{.level = rank,
                               .from = {act},
                               .to = {act},
                               .expression = "n",
                               .cycles = 40,
                               .window = 4}}));
    const DramTick at[] = {0, 6, 12, 20};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(timing.ready(DramWait::act, 0) <= at[i]);
      timing.issue(act, i, at[i]);
    }
    CHECK(waiting(timing, DramWait::act, 40) == "0-7");
    CHECK(waiting(timing, DramWait::act, 41).empty());
    timing.issue(act, 5, 43);  // now the second counts
    CHECK(timing.ready(DramWait::act, 0) == 46);
    timing.issue(act, 9, 44);  // another rank
    CHECK(timing.ready(DramWait::act, 0) == 46);
    CHECK(timing.ready(DramWait::act, 8) == 0);
    timing.issue(act, 1, 46);
    CHECK(timing.ready(DramWait::act, 0) == 52);
  }
  SECTION("several commands share one, each counted once whoever waits") {
    DramTiming timing(memory({{.level = pseudo_channel,
                               .from = {act, ref_bank},
                               .to = {act, ref_bank, pre},
                               .expression = "n",
                               .cycles = 30,
                               .window = 2}}));
    timing.issue(act, 0, 10);
    CHECK(waiting(timing, DramWait::act, 1).empty());
    timing.issue(ref_bank, 12, 15);
    for (const Wait wait : {DramWait::act, DramWait::ref_bank, DramWait::pre}) {
      CHECK(waiting(timing, wait, 40) == "0-15");
      CHECK(waiting(timing, wait, 41).empty());
    }
    timing.issue(act, 1, 40);
    CHECK(timing.ready(DramWait::pre, 3) == 45);
  }
  SECTION("two of them") {
    DramTiming timing(memory(
        {{.level = rank, .from = {act}, .to = {act}, .expression = "n", .cycles = 10, .window = 2},
         {.level = rank,
          .from = {act},
          .to = {act},
          .expression = "m",
          .cycles = 25,
          .window = 3}}));
    for (const DramTick at : {0, 4, 10}) timing.issue(act, 0, at);
    CHECK(timing.ready(DramWait::act, 7) == 25);
    timing.issue(act, 0, 25);
    CHECK(timing.ready(DramWait::act, 7) == 29);
    timing.issue(act, 0, 40);
    CHECK(timing.ready(DramWait::act, 7) == 35);
  }
}

TEST_CASE("DRAM timing: scope of a node", "[dram]") {
  const DramTiming timing(memory({}));
  using Range = std::pair<std::size_t, std::size_t>;
  CHECK(timing.tables().banks() == 32);
  CHECK(timing.tables().groups() == 8);
  CHECK(timing.tables().group_of(13) == 3);
  CHECK(timing.tables().scope(channel, 13) == Range{0, 32});
  CHECK(timing.tables().scope(pseudo_channel, 13) == Range{0, 16});
  CHECK(timing.tables().scope(pseudo_channel, 16) == Range{16, 32});
  CHECK(timing.tables().scope(rank, 13) == Range{8, 16});
  CHECK(timing.tables().scope(bank_group, 13) == Range{12, 16});
  CHECK(timing.tables().scope(bank, 13) == Range{13, 14});
}

TEST_CASE("DRAM timing: ticks", "[dram]") {
  DramParams dram = memory({
      {.level = bank, .from = {act}, .to = {rd}, .expression = "n", .cycles = 14},
      {.level = bank, .from = {act}, .to = {act}, .expression = "n", .cycles = 40},
      {.level = bank, .from = {pre}, .to = {act}, .expression = "n", .cycles = 12},
      {.level = channel, .from = {act}, .to = {act}, .expression = "n", .cycles = 20, .window = 2},
  });
  SECTION("of a cycle") {
    dram.standard.command_half_cycles = {{act, 3}, {pre, 1}, {rd, 4}};
    DramTiming timing(dram);
    CHECK(timing.tables().ticks_per_cycle() == 1);
    CHECK(timing.tables().bus_ticks(act) == 2);  // one and a half cycles: there are no half ones
    CHECK(timing.tables().bus_ticks(pre) == 1);
    CHECK(timing.tables().bus_ticks(rd) == 2);
    CHECK(timing.tables().bus_ticks(wr) == 1);
    timing.issue(act, 0, 100);
    CHECK(timing.ready(DramWait::rd, 0) == 114);
  }
  SECTION("of half a cycle") {
    dram.standard.half_cycle_precharge = true;
    dram.standard.command_half_cycles = {{act, 3}, {pre, 1}};
    DramTiming timing(dram);
    CHECK(timing.tables().ticks_per_cycle() == 2);
    CHECK(timing.tables().bus_ticks(act) == 3);
    CHECK(timing.tables().bus_ticks(pre) == 1);
    CHECK(timing.tables().bus_ticks(rd) == 2);
    timing.issue(act, 0, 100);
    CHECK(timing.ready(DramWait::rd, 0) == 128);
    timing.issue(pre, 0, 181);
    CHECK(timing.ready(DramWait::act, 0) == 205);
  }
  SECTION("a long command that takes effect with its last cycle") {
    dram.standard.effect_at_last_cycle = true;
    dram.standard.command_half_cycles = {{act, 4}};  // two cycles: effect one later
    DramTiming timing(dram);
    timing.issue(act, 0, 100);
    CHECK(timing.ready(DramWait::rd, 0) == 115);
    CHECK(timing.ready(DramWait::act, 0) == 140);  // from effect to effect
    timing.issue(pre, 0, 150);
    CHECK(timing.ready(DramWait::act, 0) == 161);
    timing.issue(act, 0, 165);
    CHECK(timing.ready(DramWait::act, 9) == 120);  // of the window
  }
  SECTION("a short one does not take effect before it began") {
    dram.standard.effect_at_last_cycle = true;
    dram.standard.half_cycle_precharge = true;
    dram.standard.command_half_cycles = {{act, 3}, {pre, 1}};
    DramTiming timing(dram);
    timing.issue(act, 0, 100);
    CHECK(timing.ready(DramWait::rd, 0) == 129);
    timing.issue(pre, 0, 201);
    CHECK(timing.ready(DramWait::act, 0) == 224);
  }
}
