// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_timing.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace tilewave {

// Zero for the bank: it is less than a group.
std::size_t DramTiming::groups_in(DramLevel level) const noexcept {
  const auto& o = organisation_;
  switch (level) {
    case DramLevel::channel:
      return o.pseudo_channels * o.ranks * o.bank_groups;
    case DramLevel::pseudo_channel:
      return o.ranks * o.bank_groups;
    case DramLevel::rank:
      return o.bank_groups;
    case DramLevel::bank_group:
      return 1;
    case DramLevel::bank:
      return 0;
  }
  return 0;
}

std::pair<std::size_t, std::size_t> DramTiming::scope(DramLevel level,
                                                      std::size_t bank) const noexcept {
  const std::size_t banks =
      level == DramLevel::bank ? 1 : groups_in(level) << banks_per_group_bits_;
  const std::size_t first = bank / banks * banks;
  return {first, first + banks};
}

DramTiming::DramTiming(const DramParams& dram) : organisation_(dram.organisation) {
  const auto& o = organisation_;
  ticks_per_cycle_ = dram.standard.half_cycle_precharge ? 2 : 1;
  groups_ = groups_in(DramLevel::channel);
  banks_per_group_bits_ = static_cast<unsigned>(std::countr_zero(o.banks));
  for (auto& ready : group_ready_) ready.assign(groups_, 0);
  bank_ready_.assign(o.banks_per_channel(), {});
  for (std::size_t c = 0; c < kDramCommands; ++c) {
    const auto found = dram.standard.command_half_cycles.find(static_cast<DramCommand>(c));
    const DramTick half = found == dram.standard.command_half_cycles.end() ? 2 : found->second;
    bus_ticks_[c] = ceil_div<DramTick>(half * ticks_per_cycle_, 2);
  }
  const auto effect = [&](DramCommand command) {
    const DramTick extra = bus_ticks(command) - ticks_per_cycle_;
    return dram.standard.effect_at_last_cycle ? std::max<DramTick>(extra, 0) : 0;
  };
  for (const DramTimingRule& rule : dram.rules) {
    const std::size_t level_groups = groups_in(rule.level);
    std::size_t sibling_groups = 0;
    if (rule.sibling) {
      const auto parent = static_cast<DramLevel>(static_cast<std::size_t>(rule.level) - 1);
      sibling_groups = groups_in(parent);
      if (sibling_groups == level_groups) continue;  // an only child
    }
    int history = -1;
    if (rule.window > 1) {
      history = static_cast<int>(histories_.size());
      const std::size_t nodes = groups_ / std::max<std::size_t>(level_groups, 1);
      histories_.push_back({.window = rule.window,
                            .level_groups = level_groups,
                            .times = std::vector<DramTick>(
                                nodes * rule.window, std::numeric_limits<DramTick>::min() / 2),
                            .oldest = std::vector<std::uint32_t>(nodes, 0)});
    }
    for (const DramCommand from : rule.from) {
      auto& updates = updates_[static_cast<std::size_t>(from)];
      for (const DramCommand to : rule.to) {
        const Update update{.wait = wait_of(to),
                            .ticks = rule.cycles * ticks_per_cycle_ + effect(from) - effect(to),
                            .level_groups = level_groups,
                            .sibling_groups = sibling_groups,
                            .history = history};
        // RD and RDA are one wait: the same rule about both is one update; of two rules about the
        // same node the longer one counts.
        const auto same = std::find_if(updates.begin(), updates.end(), [&](const Update& u) {
          return u.wait == update.wait && u.level_groups == update.level_groups &&
                 u.sibling_groups == update.sibling_groups && u.history == update.history;
        });
        if (same == updates.end()) {
          updates.push_back(update);
        } else {
          same->ticks = std::max(same->ticks, update.ticks);
        }
      }
    }
  }
}

void DramTiming::issue(DramCommand command, std::size_t bank, DramTick now) noexcept {
  const std::size_t group = group_of(bank);
  int recorded = -1;
  for (const Update& u : updates_[static_cast<std::size_t>(command)]) {
    if (u.level_groups == 0) {
      auto& ready = bank_ready_[bank][u.wait];
      ready = std::max(ready, now + u.ticks);
      continue;
    }
    const std::size_t first = group / u.level_groups * u.level_groups;
    DramTick tick = now + u.ticks;
    if (u.history >= 0) {
      History& h = histories_[static_cast<std::size_t>(u.history)];
      const std::size_t node = group / h.level_groups;
      if (recorded != u.history) {  // one entry a command, however many commands wait for it
        recorded = u.history;
        h.times[node * h.window + h.oldest[node]] = now;
        h.oldest[node] = (h.oldest[node] + 1) % static_cast<std::uint32_t>(h.window);
      }
      tick = h.times[node * h.window + h.oldest[node]] + u.ticks;
    }
    if (u.sibling_groups == 0) {
      raise(u.wait, first, first + u.level_groups, tick);
    } else {
      const std::size_t parent = group / u.sibling_groups * u.sibling_groups;
      raise(u.wait, parent, first, tick);
      raise(u.wait, first + u.level_groups, parent + u.sibling_groups, tick);
    }
  }
}

}  // namespace tilewave
