// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_timing.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace tilewave {
namespace {

DramLevel parent_of(DramLevel level) {
  return static_cast<DramLevel>(static_cast<std::size_t>(level) - 1);
}

bool is_column(DramTiming::Wait wait) {
  return wait == DramTiming::kRead || wait == DramTiming::kWrite;
}
bool are_apart(DramTiming::Wait a, DramTiming::Wait b) {
  const auto is_row = [](DramTiming::Wait w) {
    return w == DramTiming::kAct || w == DramTiming::kPre;
  };
  return (is_column(a) && is_row(b)) || (is_row(a) && is_column(b));
}

}  // namespace

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
  group_ready_.assign(kOften * groups_, 0);
  for (std::size_t level = 0; level < kNodeLevels; ++level) {
    level_groups_[level] = groups_in(static_cast<DramLevel>(level));
    for (auto& ready : node_ready_) ready[level].assign(groups_ / level_groups_[level], 0);
  }
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
    if (rule.sibling && groups_in(parent_of(rule.level)) == level_groups)
      continue;  // an only child
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
      for (const DramCommand to : rule.to) {
        add(effects_[static_cast<std::size_t>(from)],
            {.wait = wait_of(to),
             .ticks = rule.cycles * ticks_per_cycle_ + effect(from) - effect(to),
             .level = rule.level,
             .sibling = rule.sibling,
             .history = history});
        apart_ =
            apart_ && (rule.level == DramLevel::bank || !are_apart(wait_of(from), wait_of(to)));
      }
    }
  }
}

// RD and RDA are one wait: the same rule about both is one update; of two rules about the same node
// the longer one counts.
void DramTiming::add(Effects& effects, const Update& update) {
  if (update.level == DramLevel::bank) {
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
  if (update.wait < kOften && update.history < 0) {
    spread(effects, update);
    return;
  }
  auto& list = effects.others;
  const auto same = std::find_if(list.begin(), list.end(), [&](const Update& u) {
    return u.wait == update.wait && u.level == update.level && u.sibling == update.sibling &&
           u.history == update.history;
  });
  if (same == list.end()) {
    list.push_back(update);
  } else {
    same->ticks = std::max(same->ticks, update.ticks);
  }
}

void DramTiming::spread(Effects& effects, const Update& update) {
  const std::size_t node = groups_in(update.level);
  const std::size_t groups = update.sibling ? groups_in(parent_of(update.level)) : node;
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
      const bool in_node = from / node == to / node;
      const bool waits = update.sibling ? !in_node && from / groups == to / groups : in_node;
      auto& ticks = of->ticks[from * of->groups + to];
      if (waits) ticks = std::max(ticks, update.ticks);
    }
  }
}

DramTick DramTiming::node_ready(Wait wait, std::size_t group) const noexcept {
  DramTick ready = 0;
  for (std::size_t level = 0; level < kNodeLevels; ++level) {
    ready = std::max(ready, node_ready_[wait - kOften][level][group / level_groups_[level]]);
  }
  return ready;
}

void DramTiming::raise_node(const Update& u, std::size_t node, DramTick tick) noexcept {
  const auto level = static_cast<std::size_t>(u.level);
  if (u.wait >= kOften) {
    auto& ready = node_ready_[u.wait - kOften][level][node];
    ready = std::max(ready, tick);
    return;
  }
  DramTick* ready = &group_ready_[u.wait * groups_ + node * level_groups_[level]];
  for (std::size_t g = 0; g < level_groups_[level]; ++g) ready[g] = std::max(ready[g], tick);
}

void DramTiming::apply(const Update& u, std::size_t group, DramTick tick) noexcept {
  const std::size_t level_groups = level_groups_[static_cast<std::size_t>(u.level)];
  const std::size_t own = group / level_groups;
  if (!u.sibling) {
    raise_node(u, own, tick);
    return;
  }
  const std::size_t siblings = groups_in(parent_of(u.level)) / level_groups;
  const std::size_t first = own / siblings * siblings;
  for (std::size_t node = first; node < first + siblings; ++node) {
    if (node != own) raise_node(u, node, tick);
  }
}

void DramTiming::issue(DramCommand command, std::size_t bank, DramTick now) noexcept {
  const std::size_t group = group_of(bank);
  const Effects& effects = effects_[static_cast<std::size_t>(command)];
  for (const auto& [wait, ticks] : effects.of_bank) {
    auto& ready = bank_ready_[bank][wait];
    ready = std::max(ready, now + ticks);
  }
  for (const Spread& s : effects.spreads) {
    const std::size_t place = group & (s.groups - 1);
    DramTick* const ready = &group_ready_[s.wait * groups_ + (group - place)];
    const DramTick* const ticks = &s.ticks[place * s.groups];
    for (std::size_t g = 0; g < s.groups; ++g) {
      const DramTick tick = now + ticks[g];
      ready[g] = ready[g] > tick ? ready[g] : tick;
    }
  }
  int recorded = -1;
  for (const Update& u : effects.others) {
    DramTick tick = now + u.ticks;
    if (u.history >= 0) {
      History& h = histories_[static_cast<std::size_t>(u.history)];
      const std::size_t node = group / h.level_groups;
      if (recorded != u.history) {  // one entry a command, however many commands wait for it
        recorded = u.history;
        h.times[node * h.window + h.oldest[node]] = now;
        if (++h.oldest[node] == h.window) h.oldest[node] = 0;
      }
      tick = h.times[node * h.window + h.oldest[node]] + u.ticks;
    }
    apply(u, group, tick);
  }
}

}  // namespace tilewave
