// SPDX-License-Identifier: Apache-2.0
// A channel's commands are those of a slow controller, which looks at everything at every tick.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <optional>
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

/// The controller that DramChannel describes, without turns (max_wait_cycles 0), written plainly:
/// lists of requests, no state but what it has sent. The waits are DramRuleChecker's.
class SlowChannel {
 public:
  explicit SlowChannel(const DramParams& dram)
      : dram_(dram),
        map_(dram),
        rules_(dram),
        banks_(dram.organisation.banks_per_channel()),
        half_cycles_(dram.standard.half_cycle_precharge) {
    const auto& c = dram.controller;
    if (c.refresh == DramRefresh::none) return;
    const bool per_bank = c.refresh == DramRefresh::per_bank;
    const DramTick interval =
        (half_cycles_ ? 2 : 1) *
        (per_bank ? dram.refresh_bank_interval_cycles : dram.refresh_all_interval_cycles);
    const auto [first, last] = DramTimingTables(dram).scope(
        per_bank ? DramLevel::bank : dram.standard.refresh_all_scope, 0);
    for (std::size_t b = 0; b < banks_.size(); b += last - first) {
      const auto turn = static_cast<DramTick>(per_bank ? scopes_.size() : 0);
      scopes_.push_back({b, b + last - first, interval * (turn + 1)});
    }
    period_ = interval * static_cast<DramTick>(per_bank ? scopes_.size() : 1);
  }

  [[nodiscard]] bool can_accept(bool write) const {
    const auto& c = dram_.controller;
    return waiting(write) < (write ? c.write_queue : c.read_queue);
  }
  [[nodiscard]] bool idle() const { return requests_.empty(); }

  void accept(std::uint64_t burst, bool write) {
    const auto place = map_.coordinates(burst);
    for (const Request& r : requests_) {
      if (r.write && r.burst == burst) return;  // answered from there, or replaced
    }
    requests_.push_back({++order_, burst, place.bank, place.row, write, false});
    update_mode();
  }

  /// All that goes at `now`, which must be each tick once.
  void tick(DramTick now) {
    now_ = now;
    for (Scope& scope : scopes_) scope.pending = scope.pending || scope.due <= now;
    update_mode();
    if (!dram_.standard.split_command_bus) {
      if (const auto choice = choose(true, true)) issue(*choice);
      return;
    }
    // One of each, chosen at the same time; what a bank then has to send may go, too, if its bus is
    // free yet.
    for (;;) {
      const auto column = choose(true, false), row = choose(false, true);
      if (!column && !row) return;
      if (column) issue(*column);
      if (row && (!column || (row->bank != column->bank && row->request != 0))) issue(*row);
    }
  }

  std::vector<std::string> sent;

 private:
  struct Request {
    std::uint64_t order, burst;
    std::size_t bank;
    std::int64_t row;
    bool write;
    bool at_bank;  // its row was opened for it
  };
  struct Bank {
    std::int64_t open_row = -1;
    Count passed = 0;
  };
  struct Scope {
    std::size_t first, last;
    DramTick due;
    bool pending = false;
  };
  struct Choice {
    DramCommand command;
    std::size_t bank;
    std::uint64_t request;  // its order; 0: a refresh
    std::uint64_t rank;     // the lowest goes first
  };

  [[nodiscard]] Count waiting(bool write) const {
    return static_cast<Count>(
        std::count_if(requests_.begin(), requests_.end(),
                      [&](const Request& r) { return r.write == write && !r.at_bank; }));
  }
  void update_mode() {
    const auto& c = dram_.controller;
    const auto share = [&](double part) { return part * static_cast<double>(c.write_queue); };
    const auto reads = waiting(false), writes = waiting(true);
    if (write_mode_) {
      write_mode_ =
          reads == 0 || static_cast<double>(writes) >= std::ceil(share(c.write_low_watermark));
    } else {
      write_mode_ =
          reads == 0 || static_cast<double>(writes) > std::floor(share(c.write_high_watermark));
    }
  }
  [[nodiscard]] bool blocked(std::size_t bank) const {
    return std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& s) {
      return s.pending && bank >= s.first && bank < s.last;
    });
  }
  /// The oldest request to the bank, of the direction served, that hits or that does not.
  [[nodiscard]] const Request* oldest(std::size_t bank, bool hit) const {
    for (const Request& r : requests_) {
      if (r.bank == bank && r.write == write_mode_ && (r.row == banks_[bank].open_row) == hit) {
        return &r;
      }
    }
    return nullptr;
  }
  [[nodiscard]] const Request* opener(std::size_t bank) const {
    for (const Request& r : requests_) {
      if (r.bank == bank && r.at_bank) return &r;
    }
    return nullptr;
  }

  /// The command that goes now over a bus of column commands, row commands or both.
  [[nodiscard]] std::optional<Choice> choose(bool columns, bool rows) const {
    std::optional<Choice> best;
    const auto offer = [&](const Choice& choice) {
      const bool is_column = choice.command == DramCommand::rd || choice.command == DramCommand::wr;
      if (!(is_column ? columns : rows)) return;
      if (half_cycles_ && now_ % 2 != 0 && choice.command != DramCommand::pre &&
          choice.command != DramCommand::pre_all) {
        return;
      }
      if (rules_.ready(choice.command, choice.bank) > now_ || bus_free_[bus(is_column)] > now_) {
        return;
      }
      if (!best || choice.rank < best->rank) best = choice;
    };
    const auto read_or_write = [](const Request& r) {
      return r.write ? DramCommand::wr : DramCommand::rd;
    };
    const auto& c = dram_.controller;
    for (std::size_t b = 0; b < banks_.size(); ++b) {
      if (const Request* r = opener(b)) {
        const bool first = c.scheduler == DramScheduler::ready_first;
        offer({read_or_write(*r), b, r->order, first ? 0 : r->order});
        continue;
      }
      if (blocked(b)) continue;
      const Request *hit = oldest(b, true), *miss = oldest(b, false);
      if (hit != nullptr && miss != nullptr) {
        const bool older_miss = miss->order < hit->order;
        const bool turn_of_miss =
            older_miss && (c.scheduler == DramScheduler::fcfs || banks_[b].passed >= c.row_hit_cap);
        if (c.scheduler != DramScheduler::ready_first) (turn_of_miss ? hit : miss) = nullptr;
      }
      if (hit != nullptr) offer({read_or_write(*hit), b, hit->order, hit->order});
      if (miss != nullptr) {
        const bool open = banks_[b].open_row >= 0;
        offer({open ? DramCommand::pre : DramCommand::act, b, miss->order, miss->order});
      }
    }
    for (const Scope& scope : scopes_) {
      bool any_open = false, any_opener = false;
      for (std::size_t b = scope.first; b < scope.last; ++b) {
        any_open = any_open || banks_[b].open_row >= 0;
        any_opener = any_opener || opener(b) != nullptr;
      }
      if (!scope.pending || any_opener) continue;
      const bool all = c.refresh == DramRefresh::all_bank;
      const auto close = all ? DramCommand::pre_all : DramCommand::pre;
      const auto refresh = all ? DramCommand::ref_all : DramCommand::ref_bank;
      offer({any_open ? close : refresh, scope.first, 0, 0});
    }
    return best;
  }

  void issue(const Choice& choice) {
    Bank& bank = banks_[choice.bank];
    const auto request = std::find_if(requests_.begin(), requests_.end(),
                                      [&](const Request& r) { return r.order == choice.request; });
    DramCommand command = choice.command;
    const std::int64_t row = request == requests_.end() ? -1 : request->row;
    switch (command) {
      case DramCommand::act:
        bank = {.open_row = row, .passed = 0};
        request->at_bank = true;
        break;
      case DramCommand::pre:
        bank.open_row = -1;
        break;
      case DramCommand::pre_all:
      case DramCommand::ref_all:
      case DramCommand::ref_bank:
        for (Scope& scope : scopes_) {
          if (scope.first != choice.bank) continue;
          for (std::size_t b = scope.first; b < scope.last; ++b) banks_[b].open_row = -1;
          if (command == DramCommand::pre_all) continue;
          scope.pending = false;
          scope.due += period_;
        }
        break;
      default: {
        const bool passes = std::any_of(requests_.begin(), request, [&](const Request& r) {
          return r.bank == choice.bank && r.write == request->write && r.row != row;
        });
        if (passes) ++bank.passed;
        requests_.erase(request);
        const bool wanted = std::any_of(requests_.begin(), requests_.end(), [&](const Request& r) {
          return r.bank == choice.bank && r.row == row;
        });
        if (dram_.controller.page_policy == DramPagePolicy::closed && !wanted) {
          command = command == DramCommand::rd ? DramCommand::rd_ap : DramCommand::wr_ap;
          bank.open_row = -1;
        }
      }
    }
    rules_.on_command(now_, command, choice.bank, row);
    bus_free_[bus(choice.command == DramCommand::rd || choice.command == DramCommand::wr)] =
        now_ + rules_.bus_ticks(command);
    sent.push_back(fmt::format("{} {} b{} r{}", now_, to_string(command), choice.bank, row));
    update_mode();
  }
  [[nodiscard]] std::size_t bus(bool is_column) const {
    return dram_.standard.split_command_bus && !is_column ? 1 : 0;
  }

  DramParams dram_;
  AddressMap map_;
  DramRuleChecker rules_;
  std::vector<Bank> banks_;
  bool half_cycles_;
  std::vector<Scope> scopes_;
  DramTick period_ = 0, now_ = 0;
  std::deque<Request> requests_;  // oldest first
  std::uint64_t order_ = 0;
  bool write_mode_ = false;
  std::array<DramTick, 2> bus_free_{};
};

struct Sent : DramChannel::Trace {
  std::vector<std::string> lines;
  void on_command(DramTick now, DramCommand command, std::size_t bank, std::int64_t row) override {
    lines.push_back(fmt::format("{} {} b{} r{}", now, to_string(command), bank, row));
  }
};

struct Case {
  DramParams dram;
  std::vector<SourceBurst> bursts;
};

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  constexpr const char* kPresets[] = {"ddr4_3200", "hbm2_2000", "hbm3_5200", "lpddr5_6400"};
  Case c{.dram = dram_preset(kPresets[seed % std::size(kPresets)]), .bursts = {}};
  DramParams& dram = c.dram;
  dram.organisation.channels = 1;
  auto& k = dram.controller;
  k.scheduler = static_cast<DramScheduler>(pick(0, 2));
  k.page_policy = static_cast<DramPagePolicy>(pick(0, 1));
  k.refresh = static_cast<DramRefresh>(pick(0, dram.standard.has_refresh_bank ? 2 : 1));
  k.read_queue = pick(0, 1) == 0 ? pick(1, 8) : 64;
  k.write_queue = pick(0, 1) == 0 ? pick(1, 8) : 32;
  k.row_hit_cap = pick(1, 6);
  k.max_wait_cycles = 0;
  k.write_high_watermark = 0.1 * static_cast<double>(pick(3, 10));
  k.write_low_watermark = 0.2;
  if (pick(0, 2) == 0) use_plain_map(dram);
  // Refreshes come often, so that there are some; they take no longer for that.
  dram.refresh_all_interval_cycles = 1500;
  dram.refresh_bank_interval_cycles =
      std::max<std::int64_t>(dram.refresh_bank_interval_cycles, 150);
  const std::uint64_t rows = pick(1, 3), banks = dram.organisation.banks_per_channel();
  const std::uint64_t columns = dram.organisation.row_bytes / dram.organisation.burst_bytes();
  const std::uint64_t writes_of_four = pick(0, 4), gap = pick(0, 1) == 0 ? 0 : pick(1, 40);
  DramTick at = 1;
  std::uint64_t burst = 0;
  for (int i = 0; i < 250; ++i) {
    at += static_cast<DramTick>(gap == 0 ? 0 : pick(0, 2 * gap));
    burst = pick(0, 3) == 0 ? pick(0, rows * banks * columns - 1) : burst + 1;
    c.bursts.push_back({.at = at, .burst = burst, .write = pick(1, 4) <= writes_of_four});
  }
  return c;
}

std::vector<std::string> slow(const Case& c) {
  SlowChannel channel(c.dram);
  std::size_t next = 0;
  for (DramTick now = 0; next < c.bursts.size() || !channel.idle(); ++now) {
    for (int i = 0; i < 2 && next < c.bursts.size(); ++i) {
      const SourceBurst& burst = c.bursts[next];
      if (burst.at > now || now == 0 || !channel.can_accept(burst.write)) break;
      channel.accept(burst.burst, burst.write);
      ++next;
    }
    channel.tick(now);
  }
  return channel.sent;
}

}  // namespace

TEST_CASE("a channel sends what a slow controller would", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Case c = random_case(seed);
    Sent sent;
    Channels channels(c.dram, nullptr, &sent);
    channels[0].advance(0);  // as the slow one does
    std::size_t next = 0;
    feed_in_order(channels, 2, [&](SourceBurst& burst) {
      if (next == c.bursts.size()) return false;
      burst = c.bursts[next++];
      return true;
    });
    channels.drain();
    const auto expected = slow(c);
    const auto& k = c.dram.controller;
    const auto [here, there] =
        std::mismatch(sent.lines.begin(), sent.lines.end(), expected.begin(), expected.end());
    INFO(
        fmt::format("seed {}: {}, scheduler {}, page policy {}, refresh {}, queues {} {}, cap {}, "
                    "watermark {}",
                    seed, c.dram.name, static_cast<int>(k.scheduler),
                    static_cast<int>(k.page_policy), static_cast<int>(k.refresh), k.read_queue,
                    k.write_queue, k.row_hit_cap, k.write_high_watermark));
    INFO("after " << here - sent.lines.begin()
                  << " commands: " << (here == sent.lines.end() ? "nothing" : *here)
                  << " instead of " << (there == expected.end() ? "nothing" : *there));
    CHECK((here == sent.lines.end() && there == expected.end()));
  }
}
