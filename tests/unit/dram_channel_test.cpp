// SPDX-License-Identifier: Apache-2.0
// What a channel sends, when and why: commands of a small memory, by hand.
#include "arch/memory/dram/dram_channel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/in_order_source.hpp"

using namespace tilewave;
using namespace tilewave::test;
using Lines = std::vector<std::string>;

namespace {

/// 2 bank groups x 2 banks, rows of 8 bursts; nCL 4, nCWL 2, nBL 2, nRCD 3, nRP 3, nRAS 7, nRC 10,
/// nRTP 2, nWR 3, nRRD 2, nRFC 20, nRFCpb 12; a bus for all commands. No refresh.
DramParams small_memory() {
  using enum DramCommand;
  using enum DramLevel;
  DramParams dram;
  dram.organisation = {.channels = 1,
                       .pseudo_channels = 1,
                       .ranks = 1,
                       .bank_groups = 2,
                       .banks = 2,
                       .rows = 1024,
                       .row_bytes = 256,
                       .data_bits = 64,
                       .burst_length = 4};
  const auto rule = [&](DramLevel level, std::vector<DramCommand> from, std::vector<DramCommand> to,
                        std::int64_t cycles) {
    dram.rules.push_back({.level = level,
                          .from = std::move(from),
                          .to = std::move(to),
                          .expression = "n",
                          .cycles = cycles});
  };
  rule(channel, {rd, rd_ap}, {rd, rd_ap}, 2);
  rule(channel, {wr, wr_ap}, {wr, wr_ap}, 2);
  rule(channel, {rd, rd_ap}, {wr, wr_ap}, 5);
  rule(channel, {wr, wr_ap}, {rd, rd_ap}, 6);
  rule(bank_group, {rd, rd_ap}, {rd, rd_ap}, 3);
  rule(channel, {act}, {act}, 2);
  rule(bank, {act}, {act}, 10);
  rule(bank, {act}, {rd, rd_ap, wr, wr_ap}, 3);
  rule(bank, {act}, {pre}, 7);
  rule(channel, {act}, {pre_all}, 7);
  rule(bank, {pre}, {act}, 3);
  rule(channel, {pre_all}, {act}, 3);
  rule(bank, {rd}, {pre}, 2);
  rule(channel, {rd}, {pre_all}, 2);
  rule(bank, {wr}, {pre}, 7);
  rule(channel, {wr}, {pre_all}, 7);
  rule(bank, {rd_ap}, {act, ref_bank}, 5);
  rule(bank, {wr_ap}, {act, ref_bank}, 10);
  rule(channel, {pre, pre_all}, {ref_all}, 3);
  rule(channel, {act}, {ref_all}, 10);
  rule(channel, {ref_all}, {act, ref_all}, 20);
  rule(bank, {pre}, {ref_bank}, 3);
  rule(bank, {act}, {ref_bank}, 10);
  rule(bank, {ref_bank}, {act, ref_bank}, 12);
  dram.read_latency_cycles = 6;
  dram.write_latency_cycles = 4;
  dram.refresh_all_interval_cycles = 200;
  dram.refresh_bank_interval_cycles = 50;
  dram.standard.refresh_all_scope = channel;
  dram.standard.has_refresh_bank = true;
  dram.controller.refresh = DramRefresh::none;
  dram.controller.max_wait_cycles = 0;
  use_plain_map(dram);
  return dram;
}

struct Burst {
  DramTick at;
  std::uint64_t bank, row, column;
  bool write = false;
};

/// Commands as "4 RD b0 r5", and when each burst of the list is done; 0: not yet.
class Rig final : DramChannel::Trace, DramChannel::Listener {
 public:
  explicit Rig(const DramParams& dram) : dram_(dram), channels_(dram, this, this) {}

  /// Up to one burst a tick is accepted. Until all are served.
  void run(const std::vector<Burst>& bursts) {
    done.assign(bursts.size(), 0);
    std::size_t next = 0;
    feed_in_order(channels_, 100, [&](SourceBurst& burst) {
      if (next == bursts.size()) return false;
      const Burst& b = bursts[next];
      burst = {.at = b.at,
               .burst = burst_at(dram_, b.bank, b.row, b.column),
               .write = b.write,
               .owner = next++};
      return true;
    });
    channels_.drain();
  }
  [[nodiscard]] DramChannel& channel() { return channels_[0]; }
  [[nodiscard]] Channels& channels() { return channels_; }
  /// Which bursts of the list, in the order in which they were served.
  [[nodiscard]] std::string order() const { return order_; }

  Lines sent;
  std::vector<DramTick> done;

 private:
  void on_command(DramTick now, DramCommand command, std::size_t bank, std::int64_t row) override {
    sent.push_back(fmt::format("{} {} b{}", now, to_string(command), bank));
    if (row >= 0) sent.back() += fmt::format(" r{}", row);
  }
  void on_served(std::uint64_t owner, bool, DramTick, DramTick tick) override {
    if (owner < done.size()) done[owner] = tick;
    order_ += static_cast<char>('A' + owner);
  }
  DramParams dram_;
  Channels channels_;
  std::string order_;
};

}  // namespace

TEST_CASE("DRAM channel: row closed, hit, conflict", "[dram]") {
  Rig rig(small_memory());
  rig.run({{1, 0, 5, 0}, {20, 0, 5, 1}, {40, 0, 6, 0}, {60, 0, 6, 1, true}, {80, 1, 9, 0, true}});
  CHECK(rig.sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "20 RD b0 r5", "40 PRE b0 r6",
                          "43 ACT b0 r6", "46 RD b0 r6", "60 WR b0 r6", "80 ACT b1 r9",
                          "83 WR b1 r9"});
  CHECK(rig.done == std::vector<DramTick>{10, 26, 52, 64, 87});
  const DramCounts& c = rig.channel().counts();
  CHECK((c.row_closed == 2 && c.row_hits == 2 && c.row_conflicts == 1));
  CHECK((c.reads == 3 && c.writes == 2));
  CHECK(c.commands[static_cast<std::size_t>(DramCommand::act)] == 3);
  CHECK(rig.channel().last_data() == 87);
  CHECK(rig.channel().idle());
  CHECK(rig.channel().next() == kNoTick);
}

TEST_CASE("DRAM channel: banks work at the same time, the oldest goes first", "[dram]") {
  DramParams dram = small_memory();
  SECTION("one bus") {
    Rig rig(dram);
    rig.run({{1, 0, 5, 0}, {1, 0, 5, 1}, {1, 2, 7, 0}, {1, 1, 7, 0}});
    CHECK(rig.sent == Lines{"1 ACT b0 r5", "3 ACT b2 r7", "4 RD b0 r5", "5 ACT b1 r7", "6 RD b2 r7",
                            "8 RD b0 r5", "11 RD b1 r7"});
    CHECK(rig.order() == "ACBD");
  }
  SECTION("a bus each for rows and columns") {
    dram.standard.split_command_bus = true;
    dram.standard.command_half_cycles = {{DramCommand::act, 6}};  // three cycles
    Rig rig(dram);
    rig.run({{1, 0, 5, 0}, {1, 2, 7, 0}, {1, 1, 7, 0}});
    CHECK(rig.sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "4 ACT b2 r7", "7 RD b2 r7", "7 ACT b1 r7",
                            "10 RD b1 r7"});
  }
  SECTION("one bus, with long commands") {
    dram.standard.command_half_cycles = {{DramCommand::act, 4}, {DramCommand::rd, 6}};
    Rig rig(dram);
    rig.run({{1, 0, 5, 0}, {1, 2, 7, 0}});
    CHECK(rig.sent == Lines{"1 ACT b0 r5", "3 ACT b2 r7", "5 RD b0 r5", "8 RD b2 r7"});
  }
}

TEST_CASE("DRAM channel: schedulers", "[dram]") {
  // A opens row 5; B wants row 6, C and D row 5 again.
  const std::vector<Burst> bursts = {{1, 0, 5, 0}, {1, 0, 6, 0}, {1, 0, 5, 1}, {1, 0, 5, 2}};
  DramParams dram = small_memory();
  auto& c = dram.controller;
  const auto run = [&] {
    Rig rig(dram);
    rig.run(bursts);
    return std::pair{rig.order(), rig.sent};
  };
  SECTION("fr_fcfs: row hits first") {
    c.scheduler = DramScheduler::fr_fcfs;
    const auto [order, sent] = run();
    CHECK(order == "ACDB");
    CHECK(sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "7 RD b0 r5", "10 RD b0 r5", "12 PRE b0 r6",
                        "15 ACT b0 r6", "18 RD b0 r6"});
  }
  SECTION("fr_fcfs: but not too many that pass an older request") {
    c.scheduler = DramScheduler::fr_fcfs;
    c.row_hit_cap = 1;
    const auto [order, sent] = run();
    CHECK(order == "ACBD");
    CHECK(sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "7 RD b0 r5", "9 PRE b0 r6", "12 ACT b0 r6",
                        "15 RD b0 r6", "19 PRE b0 r5", "22 ACT b0 r5", "25 RD b0 r5"});
  }
  SECTION("ready_first: whatever can go, the oldest of it") {
    c.scheduler = DramScheduler::ready_first;
    const auto [order, sent] = run();
    CHECK(order == "ACBD");  // at 7 only C can go, at 9 B's PRE, a tick before D's RD
    CHECK(sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "7 RD b0 r5", "9 PRE b0 r6", "12 ACT b0 r6",
                        "15 RD b0 r6", "19 PRE b0 r5", "22 ACT b0 r5", "25 RD b0 r5"});
  }
  SECTION("fcfs: a bank serves in order") {
    c.scheduler = DramScheduler::fcfs;
    const auto [order, sent] = run();
    CHECK(order == "ABCD");
    CHECK(sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "8 PRE b0 r6", "11 ACT b0 r6", "14 RD b0 r6",
                        "18 PRE b0 r5", "21 ACT b0 r5", "24 RD b0 r5", "27 RD b0 r5"});
  }
}

TEST_CASE("DRAM channel: of ready_first, the request that opened a row goes before all others",
          "[dram]") {
  // At 6 both could read: A's hit in bank 0, which is older, and C, for which row 7 was opened.
  const std::vector<Burst> bursts = {{1, 0, 5, 0}, {1, 0, 5, 1}, {1, 0, 5, 2}, {1, 2, 7, 0}};
  DramParams dram = small_memory();
  dram.rules[0].cycles = 4;  // RD to RD
  dram.controller.scheduler = DramScheduler::ready_first;
  Rig ready_first(dram);
  ready_first.run(bursts);
  CHECK(ready_first.order() == "ADBC");
  dram.controller.scheduler = DramScheduler::fr_fcfs;
  Rig fr_fcfs(dram);
  fr_fcfs.run(bursts);
  CHECK(fr_fcfs.order() == "ABCD");
}

TEST_CASE("DRAM channel: queues are bounded; the request at its bank is in neither", "[dram]") {
  DramParams dram = small_memory();
  dram.controller.read_queue = 2;
  dram.controller.write_queue = 2;
  Rig rig(dram);
  DramChannel& channel = rig.channel();
  channel.accept(1, burst_at(dram, 0, 5, 0), false, 0);
  CHECK(channel.queued(false) == 1);
  channel.advance(1);  // ACT
  CHECK(channel.queued(false) == 0);
  CHECK_FALSE(channel.idle());
  channel.accept(2, burst_at(dram, 0, 6, 0), false, 1);
  channel.accept(2, burst_at(dram, 0, 5, 1), false, 2);
  CHECK_FALSE(channel.can_accept(false));
  channel.advance(2);
  CHECK(channel.next() == 4);
  channel.advance(4);  // RD
  CHECK(channel.queued(false) == 2);
  CHECK(channel.next() == 7);
  channel.advance(7);
  CHECK(channel.can_accept(false));
  CHECK(channel.queued(false) == 1);
  CHECK(channel.can_accept(true));
  channel.accept(8, burst_at(dram, 3, 5, 1), true, 3);
  CHECK(channel.can_accept(true));
  channel.accept(8, burst_at(dram, 3, 5, 2), true, 4);
  CHECK_FALSE(channel.can_accept(true));
  CHECK(channel.queued(true) == 2);
}

TEST_CASE("DRAM channel: writes are drained between watermarks and when no read waits", "[dram]") {
  DramParams dram = small_memory();
  dram.controller.write_queue = 10;
  dram.controller.write_high_watermark = 0.5;
  dram.controller.write_low_watermark = 0.2;
  std::vector<Burst> bursts = {{1, 0, 1, 0}, {1, 2, 1, 0}};  // rows open
  SECTION("no read waits") {
    bursts.push_back({30, 0, 1, 1, true});
    bursts.push_back({30, 2, 1, 2, false});
    bursts.push_back({30, 2, 1, 3, true});
    Rig rig(dram);
    rig.run(bursts);
    CHECK(rig.order() == "ABDCE");
  }
  SECTION("five writes wait for reads, the sixth does not") {
    // C to G are writes, then reads come, more than enough.
    for (const bool sixth : {false, true}) {
      std::vector<Burst> all = bursts;
      all.push_back({30, 2, 1, 1});  // C, a read
      for (std::uint64_t i = 0; i < (sixth ? 6U : 5U); ++i) all.push_back({30, 0, 1, i + 1, true});
      for (std::uint64_t i = 0; i < 6; ++i) all.push_back({30, 2, 1, i + 2});
      Rig rig(dram);
      rig.run(all);
      // Below two of ten: writes go on until one is left.
      CHECK(rig.order() == (sixth ? "ABDEFGHCJKLMNOI" : "ABCIJKLMNDEFGH"));
    }
  }
}

TEST_CASE("DRAM channel: reads are answered and writes replaced in the write queue", "[dram]") {
  DramParams dram = small_memory();
  Rig rig(dram);
  // The write waits behind reads, which come first.
  rig.run({{1, 0, 1, 0},
           {1, 2, 1, 0},
           {1, 1, 8, 3, true},
           {2, 1, 8, 3},        // D: answered
           {2, 1, 8, 3, true},  // E: replaces C
           {2, 1, 8, 4},        // F: another burst
           {40, 1, 8, 3}});     // G: written by now
  CHECK(rig.done[3] == 3);
  CHECK(rig.done[4] == 3);
  const DramCounts& c = rig.channel().counts();
  CHECK(c.forwarded_reads == 1);
  CHECK(c.merged_writes == 1);
  CHECK(c.reads == 4);
  CHECK(c.writes == 1);
  CHECK(rig.done[6] == 46);
  CHECK(rig.order().substr(0, 2) == "DE");
}

TEST_CASE("DRAM channel: closed pages", "[dram]") {
  DramParams dram = small_memory();
  dram.controller.page_policy = DramPagePolicy::closed;
  Rig rig(dram);
  SECTION("a row that nobody wants is closed with the last burst") {
    rig.run({{1, 0, 5, 0}, {1, 0, 5, 1}, {30, 0, 5, 2, true}, {30, 0, 6, 0, true}});
    CHECK(rig.sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "7 RDA b0 r5", "30 ACT b0 r5",
                            "33 WRA b0 r5", "43 ACT b0 r6", "46 WRA b0 r6"});
    CHECK(rig.channel().counts().row_closed == 3);
    CHECK(rig.channel().counts().row_hits == 1);
  }
  SECTION("the other direction may want it, too") {
    rig.run({{1, 0, 5, 0}, {1, 0, 5, 1, true}});
    CHECK(rig.sent == Lines{"1 ACT b0 r5", "4 RD b0 r5", "9 WRA b0 r5"});
  }
}

TEST_CASE("DRAM channel: a command that is due goes whenever the channel is asked", "[dram]") {
  const std::vector<Burst> bursts = {{1, 0, 5, 0},        {1, 0, 6, 0}, {2, 1, 5, 1, true},
                                     {3, 2, 5, 2},        {5, 3, 9, 2}, {9, 0, 5, 3},
                                     {12, 0, 5, 4, true}, {30, 2, 8, 1}};
  DramParams dram = small_memory();
  dram.controller.refresh = DramRefresh::all_bank;
  dram.refresh_all_interval_cycles = 16;
  dram.rules[20].cycles = 5;  // REFab to ACT
  Rig by_next(dram);
  by_next.run(bursts);
  Rig by_tick(dram);
  std::size_t next = 0;
  for (DramTick now = 0; now < 200; ++now) {
    for (; next < bursts.size() && bursts[next].at == now; ++next) {
      const Burst& b = bursts[next];
      by_tick.channel().accept(now, burst_at(dram, b.bank, b.row, b.column), b.write, next);
    }
    if (!by_tick.channel().idle()) by_tick.channel().advance(now);
  }
  CHECK(by_tick.sent == by_next.sent);
  CHECK(by_tick.order() == by_next.order());
}

TEST_CASE("DRAM channel: refresh of all banks", "[dram]") {
  DramParams dram = small_memory();
  dram.controller.refresh = DramRefresh::all_bank;
  SECTION("closes the rows, and the banks wait") {
    Rig rig(dram);
    rig.run({{190, 0, 5, 0}, {199, 0, 5, 1}, {200, 0, 5, 2}, {201, 2, 7, 0}});
    // The row of C is closed although it hits.
    CHECK(rig.sent == Lines{"190 ACT b0 r5", "193 RD b0 r5", "199 RD b0 r5", "201 PREA b0",
                            "204 REFab b0", "224 ACT b0 r5", "226 ACT b2 r7", "227 RD b0 r5",
                            "229 RD b2 r7"});
  }
  SECTION("waits for the request for which a row was opened") {
    Rig rig(dram);
    rig.run({{199, 0, 5, 0}, {199, 0, 5, 1}});
    CHECK(rig.sent == Lines{"199 ACT b0 r5", "202 RD b0 r5", "206 PREA b0", "209 REFab b0",
                            "229 ACT b0 r5", "232 RD b0 r5"});
  }
  SECTION("of an idle channel is made up for") {
    Rig rig(dram);
    rig.run({{405, 0, 5, 0}, {610, 0, 5, 1}, {650, 0, 5, 1}});
    CHECK(rig.sent == Lines{"200 REFab b0", "400 REFab b0", "420 ACT b0 r5", "423 RD b0 r5",
                            "600 PREA b0", "603 REFab b0", "623 ACT b0 r5", "626 RD b0 r5",
                            "650 RD b0 r5"});
    rig.channel().catch_up(2000);
    CHECK(rig.channel().counts().commands[static_cast<std::size_t>(DramCommand::ref_all)] == 9);
    rig.channel().catch_up(2001);
    CHECK(rig.channel().counts().commands[static_cast<std::size_t>(DramCommand::ref_all)] == 10);
  }
  SECTION("does not touch other scopes") {
    dram.organisation.ranks = 2;
    use_plain_map(dram);
    dram.standard.refresh_all_scope = DramLevel::rank;
    for (DramTimingRule& rule : dram.rules) {
      if (rule.level == DramLevel::channel && rule.from[0] != DramCommand::rd &&
          rule.from[0] != DramCommand::wr) {
        rule.level = DramLevel::rank;
      }
    }
    Rig rig(dram);
    rig.run({{190, 0, 5, 0}, {190, 4, 5, 0}, {205, 4, 5, 1}, {225, 0, 5, 1}});
    CHECK(rig.sent == Lines{"190 ACT b0 r5", "191 ACT b4 r5", "193 RD b0 r5", "195 RD b4 r5",
                            "200 PREA b0", "201 PREA b4", "203 REFab b0", "204 REFab b4",
                            "224 ACT b4 r5", "225 ACT b0 r5", "227 RD b4 r5", "229 RD b0 r5"});
  }
}

TEST_CASE("DRAM channel: refresh bank by bank", "[dram]") {
  DramParams dram = small_memory();
  dram.controller.refresh = DramRefresh::per_bank;
  Rig rig(dram);
  rig.run({{45, 0, 5, 0}, {46, 1, 5, 0}, {51, 0, 5, 1}, {52, 1, 5, 1}, {108, 1, 5, 2}});
  CHECK(rig.sent == Lines{"45 ACT b0 r5", "47 ACT b1 r5", "48 RD b0 r5", "51 RD b1 r5", "52 PRE b0",
                          "54 RD b1 r5", "55 REFpb b0", "67 ACT b0 r5", "70 RD b0 r5", "100 PRE b1",
                          "103 REFpb b1", "115 ACT b1 r5", "118 RD b1 r5"});
}

TEST_CASE("DRAM channel: neither direction waits longer than max_wait_cycles", "[dram]") {
  DramParams dram = small_memory();
  dram.controller.max_wait_cycles = 100;
  dram.controller.write_queue = 8;
  dram.controller.write_high_watermark = 1;
  SECTION("a write, while reads never end") {
    std::vector<Burst> bursts = {{1, 0, 1, 0}, {1, 2, 1, 0, true}};
    for (std::uint64_t i = 0; i < 200; ++i) bursts.push_back({1, 0, 1, i % 8});
    for (const auto scheduler :
         {DramScheduler::fr_fcfs, DramScheduler::fcfs, DramScheduler::ready_first}) {
      dram.controller.scheduler = scheduler;
      Rig rig(dram);
      rig.run(bursts);
      // Its turn comes at 101: ACT, WR 3 later and 5 after a RD, data 4 after that.
      CHECK(rig.done[1] >= 101 + 3 + 4);
      CHECK(rig.done[1] <= 101 + 3 + 5 + 4);
    }
  }
  SECTION("nor does the refresh of a bank with a request") {
    // The write opens its row in bank 2 while none else waits; then reads never end.
    dram.controller.refresh = DramRefresh::per_bank;
    dram.refresh_bank_interval_cycles = 500;
    std::vector<Burst> bursts = {{1480, 0, 1, 0}, {1481, 2, 1, 0, true}};
    for (std::uint64_t i = 0; i < 200; ++i) bursts.push_back({1483, 0, 1, i % 8});
    Rig rig(dram);
    rig.run(bursts);
    const auto refresh =
        std::find_if(rig.sent.begin(), rig.sent.end(),
                     [](const std::string& line) { return line.ends_with("REFpb b2"); });
    REQUIRE(refresh != rig.sent.end());
    CHECK(std::stoi(*refresh) >= 1500);
    CHECK(std::stoi(*refresh) < 1500 + 100 + 50);
  }
  SECTION("a read, while writes never end, whatever the queue holds") {
    for (const Count depth : {Count{1}, Count{2}, Count{8}}) {
      dram.controller.write_queue = depth;
      dram.controller.write_high_watermark = 0.5;
      std::vector<Burst> bursts;
      for (std::uint64_t i = 0; i < 2000; ++i) bursts.push_back({1, i % 2, i / 2, 0, true});
      bursts[40] = {1, 3, 1, 0};
      Rig rig(dram);
      DramTick accepted = 0;
      rig.run(bursts);
      for (std::size_t i = 0; i < 40; ++i) accepted = std::max(accepted, rig.done[i]);
      INFO("write queue of " << depth);
      // It was accepted before the write 40 places before it was done; it may have to wait for a
      // write's data, and opens a row.
      CHECK(rig.done[40] < accepted + 100 + 20);
    }
  }
}

TEST_CASE("DRAM channel: a low watermark of nothing", "[dram]") {
  DramParams dram = small_memory();
  dram.controller.write_low_watermark = 0;
  Rig rig(dram);
  rig.run({{1, 0, 1, 0, true}, {1, 0, 1, 1, true}, {2, 2, 1, 0}, {2, 2, 1, 1}});
  CHECK(std::count(rig.done.begin(), rig.done.end(), 0) == 0);
}

TEST_CASE("DRAM channel: half cycles", "[dram]") {
  DramParams dram = small_memory();
  dram.standard.half_cycle_precharge = true;
  dram.standard.split_command_bus = true;
  dram.standard.command_half_cycles = {{DramCommand::act, 3}, {DramCommand::pre, 1}};
  Rig rig(dram);
  // ACT at 2, RD 6 half cycles later; then PRE as soon as it is allowed, RD + 4 and ACT + 14.
  rig.run({{1, 0, 5, 0}, {3, 1, 5, 0}, {3, 0, 6, 0}});
  CHECK(rig.sent == Lines{"2 ACT b0 r5", "6 ACT b1 r5", "8 RD b0 r5", "14 RD b1 r5", "16 PRE b0 r6",
                          "22 ACT b0 r6", "28 RD b0 r6"});
  CHECK(rig.done == std::vector<DramTick>{20, 26, 40});
  SECTION("a PRE may go on the falling edge") {
    Rig odd(dram);
    odd.run({{1, 0, 5, 0}, {41, 0, 6, 0}});
    CHECK(odd.sent ==
          Lines{"2 ACT b0 r5", "8 RD b0 r5", "41 PRE b0 r6", "48 ACT b0 r6", "54 RD b0 r6"});
  }
}
