// SPDX-License-Identifier: Apache-2.0
// Whatever a channel is asked for, each of its commands keeps the rules of its standard; nothing is
// lost, and nothing waits for ever.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"
#include "support/dram_rule_checker.hpp"
#include "support/in_order_source.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

constexpr const char* kPresets[] = {"ddr3_2133",  "ddr4_3200",    "lpddr4x_4266", "lpddr5_6400",
                                    "gddr5_7000", "gddr5x_11000", "gddr6_14000",  "hbm_1000",
                                    "hbm2_2000",  "hbm2_2400",    "hbm2e_3200",   "hbm3_5200",
                                    "hbm3e_8000", "hbm4_8000"};

/// Phases of streams, strides, random bursts and bursts of one bank, of reads and writes, in a
/// hurry or with pauses, over a few rows of each bank.
class RandomTraffic {
 public:
  RandomTraffic(const DramParams& dram, std::uint64_t seed, Count bursts, bool pauses)
      : random_(seed),
        left_(bursts),
        pauses_(pauses),
        bursts_of_row_(dram.organisation.row_bytes / dram.organisation.burst_bytes()),
        footprint_(12 * dram.organisation.banks_per_channel() * bursts_of_row_) {}

  bool operator()(SourceBurst& burst) {
    if (left_ == 0) return false;
    --left_;
    if (phase_left_ == 0) begin_phase();
    --phase_left_;
    if (gap_ > 0) at_ += static_cast<DramTick>(pick(0, 2 * gap_));
    place_ = stride_ == 0 ? pick(0, footprint_ - 1) : (place_ + stride_) % footprint_;
    burst = {.at = at_,
             .channel = 0,
             .burst = place_,
             .write = pick(1, 4) <= writes_of_four_,
             .owner = left_};
    return true;
  }

 private:
  std::uint64_t pick(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }
  void begin_phase() {
    phase_left_ = pick(1, 200);
    writes_of_four_ = pick(0, 4);
    place_ = pick(0, footprint_ - 1);
    const std::uint64_t strides[] = {0, 0, 1, 1, 3, bursts_of_row_, footprint_ / 12};
    stride_ = strides[pick(0, 6)];
    const std::uint64_t gaps[] = {0, 0, 0, 10, 60, 600};
    gap_ = pauses_ ? gaps[pick(0, 5)] : 0;
    if (pauses_ && pick(0, 9) == 0) at_ += static_cast<DramTick>(pick(0, 60'000));
  }

  std::mt19937_64 random_;
  Count left_, phase_left_ = 0;
  bool pauses_;
  std::uint64_t bursts_of_row_, footprint_, place_ = 0, stride_ = 0, gap_ = 0, writes_of_four_ = 0;
  DramTick at_ = 0;
};

/// What was served, and how long it took.
struct Served : DramChannel::Listener {
  Count count = 0;
  DramTick longest = 0, last = 0;
  void on_served(std::uint64_t, bool, DramTick accepted, DramTick done) override {
    ++count;
    longest = std::max(longest, done - accepted);
    last = std::max(last, done);
  }
};

struct Outcome {
  DramRuleChecker checker;
  Served served;
  DramCounts counts;
  DramTick end = 0;
};
/// Simulates `model`; the checker of `outcome` may know other rules.
void run(const DramParams& model, RandomTraffic traffic, Outcome& outcome) {
  Channels channels(model, &outcome.served, &outcome.checker);
  feed_in_order(channels, 2, [&](SourceBurst& burst) { return traffic(burst); });
  channels.drain();
  outcome.end = outcome.served.last;
  channels[0].catch_up(outcome.end);
  outcome.counts = channels.counts();
}

struct Variant {
  DramScheduler scheduler;
  DramPagePolicy page_policy;
  DramRefresh refresh;
};

DramParams variant_of(DramParams dram, const Variant& variant, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto of = [&](std::initializer_list<Count> list) {
    return list.begin()[random() % list.size()];
  };
  dram.organisation.channels = 1;
  auto& c = dram.controller;
  c.scheduler = variant.scheduler;
  c.page_policy = variant.page_policy;
  c.refresh = variant.refresh;
  c.read_queue = of({1, 4, 16, 64, 64});
  c.write_queue = of({1, 4, 16, 64, 64});
  c.row_hit_cap = of({1, 4, 64});
  c.max_wait_cycles = of({0, 200, 2000});
  c.write_high_watermark = of({0, 1}) == 0 ? 0.8 : 0.5;
  if (of({0, 1}) == 0) {  // ranks, in a plain map
    dram.organisation.ranks *= 2;
    dram.refresh_bank_interval_cycles /= 2;
    use_plain_map(dram);
  }
  dram.standard.effect_at_last_cycle = of({0, 0, 1}) == 1;
  return dram;
}

std::string text(const DramParams& dram) {
  const auto& c = dram.controller;
  return fmt::format(
      "{}, scheduler {}, page policy {}, refresh {}, queues {} {}, cap {}, wait {}, "
      "watermark {}, {} ranks, {}",
      dram.name, static_cast<int>(c.scheduler), static_cast<int>(c.page_policy),
      static_cast<int>(c.refresh), c.read_queue, c.write_queue, c.row_hit_cap, c.max_wait_cycles,
      c.write_high_watermark, dram.organisation.ranks,
      dram.standard.effect_at_last_cycle ? "effect at the last cycle" : "");
}

/// Longest wait between two commands of a bank.
DramTick bank_wait(const DramParams& dram, DramCommand from, DramCommand to) {
  DramRuleChecker checker(dram);
  checker.on_command(1'000'000, from, 0, 0);
  return checker.ready(to, 0) - 1'000'000;
}

/// No request waits longer than the work of full queues, a row for each burst, and the other
/// direction's turns.
DramTick patience(const DramParams& dram) {
  const auto& c = dram.controller;
  const DramTick ticks = dram.standard.half_cycle_precharge ? 2 : 1;
  const DramTick row = bank_wait(dram, DramCommand::act, DramCommand::wr) +
                       bank_wait(dram, DramCommand::wr_ap, DramCommand::act);
  const auto rows =
      static_cast<DramTick>(c.read_queue + c.write_queue + dram.organisation.banks_per_channel());
  return 4 * (rows * row + ticks * static_cast<DramTick>(c.max_wait_cycles));
}

/// Each refresh of a channel that is never idle goes between its date and the next one.
void check_refreshes(const DramParams& dram, const Outcome& o) {
  const DramTick ticks = dram.standard.half_cycle_precharge ? 2 : 1;
  const bool per_bank = dram.controller.refresh == DramRefresh::per_bank;
  const auto banks = dram.organisation.banks_per_channel();
  const DramTick interval =
      ticks * (per_bank ? dram.refresh_bank_interval_cycles : dram.refresh_all_interval_cycles);
  const DramTick period = per_bank ? interval * static_cast<DramTick>(banks) : interval;
  for (std::size_t bank = 0; bank < banks; ++bank) {
    const auto& times = o.checker.refreshes(bank);
    DramTick due = per_bank ? interval * static_cast<DramTick>(bank + 1) : interval;
    for (const DramTick time : times) {
      CHECK((time >= due && time < due + period));
      due += period;
    }
    CHECK(due + period > o.end);
  }
}

void check_rules(const DramParams& dram, std::uint64_t seed, Count bursts, bool pauses) {
  INFO(text(dram) << ", seed " << seed);
  Outcome o{.checker = DramRuleChecker(dram), .served = {}, .counts = {}};
  run(dram, {dram, seed, bursts, pauses}, o);
  CHECK(o.checker.faults() == std::vector<std::string>{});
  CHECK(o.served.count == bursts);
  CHECK(o.counts.reads + o.counts.writes + o.counts.forwarded_reads + o.counts.merged_writes ==
        bursts);
  for (const auto command : {DramCommand::act, DramCommand::pre, DramCommand::rd, DramCommand::wr,
                             DramCommand::rd_ap, DramCommand::wr_ap}) {
    CHECK(o.checker.commands(command) == o.counts.commands[static_cast<std::size_t>(command)]);
  }
  if (dram.controller.max_wait_cycles > 0) CHECK(o.served.longest < patience(dram));
  if (dram.controller.refresh != DramRefresh::none && !pauses) check_refreshes(dram, o);
}

}  // namespace

TEST_CASE("a channel keeps the rules of its standard, whatever it is asked for", "[dram]") {
  std::uint64_t seed = 1;
  for (const char* preset : kPresets) {
    const bool has_refresh_bank = dram_preset(preset).standard.has_refresh_bank;
    for (const auto scheduler :
         {DramScheduler::fr_fcfs, DramScheduler::ready_first, DramScheduler::fcfs}) {
      for (const auto page_policy : {DramPagePolicy::open, DramPagePolicy::closed}) {
        for (const auto refresh :
             {DramRefresh::none, DramRefresh::all_bank, DramRefresh::per_bank}) {
          if (refresh == DramRefresh::per_bank && !has_refresh_bank) continue;
          ++seed;
          check_rules(variant_of(dram_preset(preset), {scheduler, page_policy, refresh}, seed),
                      seed, 2500, seed % 2 == 0);
        }
      }
    }
  }
}

// Those that the reader accepts must be kept, whatever they are about.
TEST_CASE("a channel keeps the rules of a standard of one's own", "[dram]") {
  std::size_t accepted = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::uint64_t low, std::uint64_t high) {
      return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
    };
    const auto command = [&] { return static_cast<DramCommand>(pick(0, kDramCommands - 1)); };
    const auto from = command(), to = command();
    if (to == DramCommand::ref_all || to == DramCommand::ref_bank) continue;  // they have dates
    const auto level = static_cast<DramLevel>(pick(0, kDramLevels - 1));
    Json rule{{"level", to_string(level)},
              {"from", {to_string(from)}},
              {"to", {to_string(to)}},
              {"cycles", std::to_string(pick(1, 80))}};
    if (pick(0, 2) == 0) rule["window"] = pick(2, 5);
    if (pick(0, 2) == 0 && level != DramLevel::channel) rule["sibling"] = true;
    DramFiles files(kPresets[pick(0, std::size(kPresets) - 1)]);
    files.standard["rules"].push_back(rule);
    const DramParams read = files.read();
    if (!files.diagnostics.ok()) continue;
    ++accepted;
    const Variant variant{
        static_cast<DramScheduler>(pick(0, 2)), static_cast<DramPagePolicy>(pick(0, 1)),
        read.standard.has_refresh_bank && pick(0, 1) == 0 ? DramRefresh::per_bank
                                                          : DramRefresh::all_bank};
    const DramParams dram = variant_of(read, variant, seed);
    INFO(text(dram) << ", seed " << seed << ", " << rule.dump());
    Outcome o{.checker = DramRuleChecker(dram), .served = {}, .counts = {}};
    run(dram, {dram, seed, 600, false}, o);
    CHECK(o.checker.faults() == std::vector<std::string>{});
    CHECK(o.served.count == 600);
  }
  CHECK(accepted > 60);
}

TEST_CASE("an idle channel is refreshed as often as a busy one", "[dram]") {
  for (const char* preset : kPresets) {
    for (const auto refresh : {DramRefresh::all_bank, DramRefresh::per_bank}) {
      if (refresh == DramRefresh::per_bank && !dram_preset(preset).standard.has_refresh_bank) {
        continue;
      }
      DramParams dram = variant_of(dram_preset(preset),
                                   {DramScheduler::fr_fcfs, DramPagePolicy::open, refresh}, 7);
      INFO(text(dram));
      const bool per_bank = refresh == DramRefresh::per_bank;
      const auto command =
          static_cast<std::size_t>(per_bank ? DramCommand::ref_bank : DramCommand::ref_all);
      const DramTick interval =
          (dram.standard.half_cycle_precharge ? 2 : 1) *
          (per_bank ? dram.refresh_bank_interval_cycles : dram.refresh_all_interval_cycles);
      const DramTiming timing(dram);
      const auto [first, last] = timing.tables().scope(dram.standard.refresh_all_scope, 0);
      const auto scopes = per_bank ? 1 : dram.organisation.banks_per_channel() / (last - first);
      // In one step, in many, and with a burst now and then: what is due by then, less what a
      // command or two may still take.
      for (const DramTick step : {interval * 1000, interval / 3 + 1, interval * 7 + 1}) {
        Channels channels(dram);
        for (DramTick now = step; now <= interval * 1000; now += step) {
          if (step > interval && now < interval * 900) {
            channels.accept(now, 0, static_cast<std::uint64_t>(now) % 100'000, false, 0);
            channels.drain();
          } else {
            channels[0].catch_up(now);
          }
        }
        channels[0].catch_up(interval * 1000 + interval / 2);
        const Count refreshes = channels.counts().commands[command];
        CHECK(refreshes >= 999 * scopes);
        CHECK(refreshes <= 1000 * scopes);
      }
    }
  }
}

TEST_CASE("the checker finds a model with a rule one cycle short", "[dram]") {
  std::size_t rules = 0;
  for (const char* preset : {"ddr4_3200", "hbm2_2000", "hbm3_5200"}) {
    const bool has_refresh_bank = dram_preset(preset).standard.has_refresh_bank;
    for (const Variant& variant :
         {Variant{DramScheduler::fr_fcfs, DramPagePolicy::open, DramRefresh::all_bank},
          Variant{DramScheduler::ready_first, DramPagePolicy::closed,
                  has_refresh_bank ? DramRefresh::per_bank : DramRefresh::all_bank}}) {
      const DramParams dram = variant_of(dram_preset(preset), variant, 11);
      const RandomTraffic traffic(dram, 5, 1500, false);
      Outcome sound{.checker = DramRuleChecker(dram), .served = {}, .counts = {}};
      run(dram, traffic, sound);
      CHECK(sound.checker.fault_count() == 0);
      for (std::size_t r = 0; r < dram.rules.size(); ++r) {
        if (sound.checker.decided_by(r) < 10) continue;
        ++rules;
        DramParams hasty = dram;
        --hasty.rules[r].cycles;
        Outcome o{.checker = DramRuleChecker(dram), .served = {}, .counts = {}};
        run(hasty, traffic, o);
        INFO(text(dram) << ", " << dram.rules[r].expression);
        CHECK(o.checker.fault_count() > 0);
      }
    }
  }
  CHECK(rules > 40);
}

TEST_CASE("the checker finds what is wrong with buses, rows and refresh", "[dram]") {
  using enum DramCommand;
  struct Sent {
    DramTick at;
    DramCommand command;
    std::size_t bank;
    std::int64_t row;
  };
  struct Case {
    const char* preset;
    std::vector<Sent> sent;
    std::vector<std::string> faults;
  };
  const std::string open = "a row is open";
  const Case cases[] = {
      {"ddr4_3200", {{0, act, 0, 7}, {22, rd, 0, 7}, {52, pre, 0, 8}, {74, act, 0, 8}}, {}},
      {"ddr4_3200", {{0, act, 0, 7}, {22, rd, 0, 6}}, {"22: RD to bank 0: row 7 is open"}},
      {"ddr4_3200", {{0, act, 0, 7}, {74, act, 0, 8}}, {"74: ACT to bank 0: " + open}},
      {"ddr4_3200", {{5, pre, 3, 7}}, {"5: PRE to bank 3: no row is open"}},
      {"ddr4_3200", {{0, act, 3, 7}, {90, ref_all, 0, -1}}, {"90: REFab to bank 0: " + open}},
      {"ddr4_3200",
       {{0, act, 0, 7}, {22, rd_ap, 0, 7}, {80, rd, 0, 7}},
       {"80: RD to bank 0: row -1 is open"}},
      {"ddr4_3200",
       {{0, act, 0, 7}, {21, rd, 0, 7}},
       {"21: RD to bank 0: 1 too early for \"nRCD\" at the bank"}},
      {"ddr4_3200",
       {{0, act, 0, 7}, {22, act, 4, 7}, {22, rd, 0, 7}},
       {"22: RD to bank 0: the bus is occupied"}},
      {"ddr4_3200",
       {{9, act, 0, 7}, {8, act, 4, 7}},
       {"8: ACT to bank 4: time goes back",
        "8: ACT to bank 4: 5 too early for \"nRRDS\" at the rank",
        "8: ACT to bank 4: the bus is occupied"}},
      {"ddr4_3200",
       {{0, act, 0, 7}, {4, act, 4, 7}, {8, act, 8, 7}, {12, act, 12, 7}, {33, act, 1, 7}},
       {"33: ACT to bank 1: 1 too early for \"nFAW\" at the rank"}},
      // A row and a column command at a time, but an ACT takes two cycles.
      {"hbm2_2000", {{0, act, 0, 7}, {14, act, 4, 7}, {14, rd, 0, 7}}, {}},
      {"hbm2_2000", {{0, act, 0, 7}, {1, act, 16, 7}}, {"1: ACT to bank 16: the bus is occupied"}},
      {"hbm3_5200", {{0, act, 0, 7}, {53, rd, 0, 7}}, {"53: RD to bank 0: not on the rising edge"}},
      {"hbm3_5200", {{0, act, 0, 7}, {75, pre, 0, 7}}, {}},
  };
  for (const Case& c : cases) {
    INFO(c.preset << ", " << c.sent.size() << " commands, the last at " << c.sent.back().at);
    DramRuleChecker checker(dram_preset(c.preset));
    for (const Sent& s : c.sent) checker.on_command(s.at, s.command, s.bank, s.row);
    CHECK(checker.faults() == c.faults);
  }
}
