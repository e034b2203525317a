// SPDX-License-Identifier: Apache-2.0
// What a channel sends, held against the rules of its standard.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "arch/memory/dram/dram_channel.hpp"
#include "arch/memory/dram/dram_params.hpp"

namespace tilewave::test {

/// Keeps the times of all commands of a channel and holds each new one directly against DramParams:
/// every timing rule, the buses, the state of the rows. Shares nothing with DramTiming. Faults are
/// lines of text: at most kMaxFaults are kept, all are counted.
class DramRuleChecker final : public DramChannel::Trace {
 public:
  static constexpr std::size_t kMaxFaults = 5;

  explicit DramRuleChecker(const DramParams& dram)
      : dram_(dram), ticks_(dram.standard.half_cycle_precharge ? 2 : 1) {
    const auto& o = dram.organisation;
    nodes_[level_index(DramLevel::channel)] = 1;
    nodes_[level_index(DramLevel::pseudo_channel)] = o.pseudo_channels;
    nodes_[level_index(DramLevel::rank)] = o.pseudo_channels * o.ranks;
    nodes_[level_index(DramLevel::bank_group)] = o.pseudo_channels * o.ranks * o.bank_groups;
    nodes_[level_index(DramLevel::bank)] = o.banks_per_channel();
    for (const DramTimingRule& rule : dram.rules) {
      history_.emplace_back(nodes_[level_index(rule.level)]);
    }
    decided_.assign(dram.rules.size(), 0);
    open_rows_.assign(o.banks_per_channel(), kClosed);
    refreshed_.resize(o.banks_per_channel());
  }

  [[nodiscard]] const std::vector<std::string>& faults() const noexcept { return faults_; }
  [[nodiscard]] Count fault_count() const noexcept { return fault_count_; }
  [[nodiscard]] Count commands(DramCommand command) const noexcept {
    return commands_[static_cast<std::size_t>(command)];
  }
  /// How often a command went at the first tick that the rule allows, when all other rules would
  /// have let it go before.
  [[nodiscard]] Count decided_by(std::size_t rule) const { return decided_[rule]; }
  /// Times of the refreshes of a bank.
  [[nodiscard]] const std::vector<DramTick>& refreshes(std::size_t bank) const {
    return refreshed_[bank];
  }

  void on_command(DramTick now, DramCommand command, std::size_t bank, std::int64_t row) override {
    ++commands_[static_cast<std::size_t>(command)];
    check_order(now, command, bank);
    check_rules(now, command, bank);
    check_bus(now, command, bank);
    check_rows(now, command, bank, row);
    record(now, command, bank);
  }

  /// First tick at which all rules allow the command, buses and rows aside.
  [[nodiscard]] DramTick ready(DramCommand command, std::size_t bank) const {
    DramTick first = 0;
    for (std::size_t r = 0; r < dram_.rules.size(); ++r) {
      first = std::max(first, allowed(r, command, bank));
    }
    return first;
  }
  [[nodiscard]] DramTick bus_ticks(DramCommand command) const {
    const auto found = dram_.standard.command_half_cycles.find(command);
    const unsigned half = found == dram_.standard.command_half_cycles.end() ? 2 : found->second;
    return ticks_ == 2 ? half : (half + 1) / 2;
  }

 private:
  static constexpr std::int64_t kClosed = -1;
  using Range = std::pair<std::size_t, std::size_t>;

  [[nodiscard]] static std::size_t level_index(DramLevel level) {
    return static_cast<std::size_t>(level);
  }
  [[nodiscard]] static bool has(const std::vector<DramCommand>& list, DramCommand command) {
    return std::find(list.begin(), list.end(), command) != list.end();
  }
  [[nodiscard]] static bool is_column(DramCommand command) {
    return has({DramCommand::rd, DramCommand::wr, DramCommand::rd_ap, DramCommand::wr_ap}, command);
  }
  [[nodiscard]] bool of_scope(DramCommand command) const {
    return command == DramCommand::pre_all || command == DramCommand::ref_all;
  }

  /// Nodes of a level that the command is about: first and one past the last.
  [[nodiscard]] Range nodes(DramLevel level, DramCommand command, std::size_t bank) const {
    const std::size_t count = nodes_[level_index(level)], banks = open_rows_.size();
    const auto [first, last] = banks_of(command, bank);
    return {first * count / banks, ceil_div(last * count, banks)};
  }
  [[nodiscard]] Range banks_of(DramCommand command, std::size_t bank) const {
    if (!of_scope(command)) return {bank, bank + 1};
    const std::size_t size =
        open_rows_.size() / nodes_[level_index(dram_.standard.refresh_all_scope)];
    return {bank / size * size, bank / size * size + size};
  }
  /// A command counts from the cycle in which it takes effect.
  [[nodiscard]] DramTick effect(DramCommand command) const {
    if (!dram_.standard.effect_at_last_cycle) return 0;
    return std::max<DramTick>(bus_ticks(command) - ticks_, 0);
  }

  /// First tick at which this rule alone allows the command.
  [[nodiscard]] DramTick allowed(std::size_t r, DramCommand command, std::size_t bank) const {
    const DramTimingRule& rule = dram_.rules[r];
    DramTick first = 0;
    if (!has(rule.to, command)) return first;
    const auto [begin, end] = nodes(rule.level, command, bank);
    const auto wait_for = [&](std::size_t node) {
      const auto& times = history_[r][node];
      if (times.size() < rule.window) return;
      const DramTick from = times[times.size() - rule.window];
      first = std::max(first, from + rule.cycles * ticks_ - effect(command));
    };
    if (!rule.sibling) {
      for (std::size_t node = begin; node < end; ++node) wait_for(node);
      return first;
    }
    const std::size_t siblings =
        nodes_[level_index(rule.level)] / nodes_[level_index(rule.level) - 1];
    const std::size_t parent = begin / siblings * siblings;
    for (std::size_t node = parent; node < parent + siblings; ++node) {
      if (node < begin || node >= end) wait_for(node);
    }
    return first;
  }

  void check_rules(DramTick now, DramCommand command, std::size_t bank) {
    std::size_t at_now = 0, last = 0;
    for (std::size_t r = 0; r < dram_.rules.size(); ++r) {
      const DramTick first = allowed(r, command, bank);
      if (now == first) {
        ++at_now;
        last = r;
      }
      if (now >= first) continue;
      const DramTimingRule& rule = dram_.rules[r];
      fault(now, command, bank,
            fmt::format("{} too early for \"{}\" at the {}", first - now, rule.expression,
                        to_string(rule.level)));
    }
    if (at_now == 1) ++decided_[last];
  }

  void check_order(DramTick now, DramCommand command, std::size_t bank) {
    if (now < last_) fault(now, command, bank, "time goes back");
    last_ = now;
    if (ticks_ == 2 && now % 2 != 0 && command != DramCommand::pre &&
        command != DramCommand::pre_all) {
      fault(now, command, bank, "not on the rising edge");
    }
  }

  void check_bus(DramTick now, DramCommand command, std::size_t bank) {
    const std::size_t bus = dram_.standard.split_command_bus && is_column(command) ? 1 : 0;
    if (now < bus_free_[bus]) fault(now, command, bank, "the bus is occupied");
    bus_free_[bus] = now + bus_ticks(command);
  }

  void check_rows(DramTick now, DramCommand command, std::size_t bank, std::int64_t row) {
    const auto [first, last] = banks_of(command, bank);
    const bool all_closed = std::all_of(open_rows_.begin() + static_cast<std::ptrdiff_t>(first),
                                        open_rows_.begin() + static_cast<std::ptrdiff_t>(last),
                                        [](std::int64_t open) { return open == kClosed; });
    switch (command) {
      case DramCommand::act:
        if (!all_closed) fault(now, command, bank, "a row is open");
        open_rows_[bank] = row;
        break;
      case DramCommand::rd:
      case DramCommand::wr:
      case DramCommand::rd_ap:
      case DramCommand::wr_ap:
        if (row < 0 || open_rows_[bank] != row) {
          fault(now, command, bank, fmt::format("row {} is open", open_rows_[bank]));
        }
        if (command == DramCommand::rd_ap || command == DramCommand::wr_ap) {
          open_rows_[bank] = kClosed;
        }
        break;
      case DramCommand::pre:
      case DramCommand::pre_all:
        if (all_closed) fault(now, command, bank, "no row is open");
        for (std::size_t b = first; b < last; ++b) open_rows_[b] = kClosed;
        break;
      case DramCommand::ref_all:
      case DramCommand::ref_bank:
        if (!all_closed) fault(now, command, bank, "a row is open");
        for (std::size_t b = first; b < last; ++b) refreshed_[b].push_back(now);
        break;
    }
  }

  void record(DramTick now, DramCommand command, std::size_t bank) {
    const DramTick time = now + effect(command);
    for (std::size_t r = 0; r < dram_.rules.size(); ++r) {
      const DramTimingRule& rule = dram_.rules[r];
      if (!has(rule.from, command)) continue;
      const auto [begin, end] = nodes(rule.level, command, bank);
      for (std::size_t node = begin; node < end; ++node) {
        auto& times = history_[r][node];
        times.insert(std::upper_bound(times.begin(), times.end(), time), time);
      }
    }
  }

  void fault(DramTick now, DramCommand command, std::size_t bank, const std::string& what) {
    if (++fault_count_ > kMaxFaults) return;
    faults_.push_back(fmt::format("{}: {} to bank {}: {}", now, to_string(command), bank, what));
  }

  DramParams dram_;
  DramTick ticks_;
  std::array<std::size_t, kDramLevels> nodes_{};
  std::vector<std::vector<std::vector<DramTick>>> history_;  // rule, node: all times, sorted
  std::vector<Count> decided_;                               // rule
  std::vector<std::int64_t> open_rows_;
  std::vector<std::vector<DramTick>> refreshed_;  // bank
  std::array<DramTick, 2> bus_free_{};
  std::array<Count, kDramCommands> commands_{};
  DramTick last_ = 0;
  std::vector<std::string> faults_;
  Count fault_count_ = 0;
};

}  // namespace tilewave::test
