// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_timing_tables.hpp"

#include <algorithm>
#include <bit>

namespace tilewave {
namespace {

constexpr auto kBankLevel = static_cast<std::uint8_t>(DramLevel::bank);

bool is_column(DramWait wait) { return wait == DramWait::rd || wait == DramWait::wr; }
bool is_row(DramWait wait) { return wait == DramWait::act || wait == DramWait::pre; }

}  // namespace

DramTimingTables::DramTimingTables(const DramParams& dram) {
  const auto& o = dram.organisation;
  const auto bits = [](Count power_of_two) {
    return static_cast<unsigned>(std::countr_zero(power_of_two));
  };
  ticks_per_cycle_ = dram.standard.half_cycle_precharge ? 2 : 1;
  bank_bits_ = bits(o.banks);
  node_bits_[static_cast<std::size_t>(DramLevel::bank_group)] = 0;
  node_bits_[static_cast<std::size_t>(DramLevel::rank)] = bits(o.bank_groups);
  node_bits_[static_cast<std::size_t>(DramLevel::pseudo_channel)] = bits(o.bank_groups * o.ranks);
  node_bits_[static_cast<std::size_t>(DramLevel::channel)] =
      bits(o.bank_groups * o.ranks * o.pseudo_channels);
  groups_ = std::size_t{1} << node_bits_[static_cast<std::size_t>(DramLevel::channel)];
  for (std::size_t c = 0; c < kDramCommands; ++c) {
    const auto found = dram.standard.command_half_cycles.find(static_cast<DramCommand>(c));
    const DramTick half = found == dram.standard.command_half_cycles.end() ? 2 : found->second;
    bus_ticks_[c] = ceil_div<DramTick>(half * ticks_per_cycle_, 2);
  }
  for (const DramTimingRule& rule : dram.rules) add_rule(rule, dram.standard);
}

std::pair<std::size_t, std::size_t> DramTimingTables::scope(DramLevel level,
                                                            std::size_t bank) const noexcept {
  const unsigned bits =
      level == DramLevel::bank ? 0 : node_bits_[static_cast<std::size_t>(level)] + bank_bits_;
  const std::size_t first = bank >> bits << bits;
  return {first, first + (std::size_t{1} << bits)};
}

void DramTimingTables::add_rule(const DramTimingRule& rule, const DramStandard& standard) {
  const auto effect = [&](DramCommand command) {
    const DramTick extra = bus_ticks(command) - ticks_per_cycle_;
    return standard.effect_at_last_cycle ? std::max<DramTick>(extra, 0) : 0;
  };
  const auto level = static_cast<std::uint8_t>(rule.level);
  if (rule.sibling && node_bits_[level] == node_bits_[level - 1U]) return;  // an only child
  int window = -1;
  if (rule.window > 1) {
    window = static_cast<int>(windows_.size());
    windows_.push_back({.commands = rule.window, .level = level});
  }
  for (const DramCommand from : rule.from) {
    for (const DramCommand to : rule.to) {
      add(effects_[static_cast<std::size_t>(from)],
          {.wait = wait_of(to),
           .sibling = rule.sibling,
           .level = level,
           .window = window,
           .ticks = rule.cycles * ticks_per_cycle_ + effect(from) - effect(to)});
      const DramWait a = wait_of(from), b = wait_of(to);
      const bool across = (is_column(a) && is_row(b)) || (is_row(a) && is_column(b));
      apart_ = apart_ && (level == kBankLevel || !across);
    }
  }
}

// RD and RDA are one wait: the same rule about both is one update; of two rules about the same node
// the longer one counts.
void DramTimingTables::add(Effects& effects, const Update& update) {
  if (update.level == kBankLevel) {
    auto& list = effects.of_bank;
    const auto same = std::find_if(list.begin(), list.end(),
                                   [&](const auto& of) { return of.first == update.wait; });
    if (same == list.end()) {
      list.emplace_back(update.wait, update.ticks);
    } else {
      same->second = std::max(same->second, update.ticks);
    }
    return;
  }
  if (static_cast<std::size_t>(update.wait) < kDramOftenWaits && update.window < 0) {
    spread(effects, update);
    return;
  }
  auto& list = effects.updates;
  const auto same = std::find_if(list.begin(), list.end(), [&](const Update& u) {
    return u.wait == update.wait && u.level == update.level && u.sibling == update.sibling &&
           u.window == update.window;
  });
  if (same == list.end()) {
    list.push_back(update);
  } else {
    same->ticks = std::max(same->ticks, update.ticks);
  }
}

void DramTimingTables::spread(Effects& effects, const Update& update) const {
  const unsigned bits = node_bits_[update.level];
  const unsigned all_bits = update.sibling ? node_bits_[update.level - 1U] : bits;
  const std::size_t groups = std::size_t{1} << all_bits;
  auto& list = effects.spreads;
  auto of = std::find_if(list.begin(), list.end(),
                         [&](const Spread& s) { return s.wait == update.wait; });
  if (of == list.end()) of = list.insert(list.end(), Spread{update.wait, 0, {}});
  if (groups > of->groups) {  // a larger node: what is known holds in each part of it
    std::vector<DramTick> ticks(groups * groups, kNever);
    for (std::size_t from = 0; from < groups && of->groups > 0; ++from) {
      const std::size_t part = from / of->groups * of->groups;
      for (std::size_t to = 0; to < of->groups; ++to) {
        ticks[from * groups + part + to] = of->ticks[(from - part) * of->groups + to];
      }
    }
    of->groups = groups;
    of->ticks = std::move(ticks);
  }
  for (std::size_t from = 0; from < of->groups; ++from) {
    for (std::size_t to = 0; to < of->groups; ++to) {
      const bool in_node = from >> bits == to >> bits;
      const bool waits = update.sibling ? !in_node && from >> all_bits == to >> all_bits : in_node;
      auto& ticks = of->ticks[from * of->groups + to];
      if (waits) ticks = std::max(ticks, update.ticks);
    }
  }
}

}  // namespace tilewave
