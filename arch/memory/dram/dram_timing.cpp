// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_timing.hpp"

#include <bit>
#include <utility>

namespace tilewave {

DramTiming::DramTiming(Tables tables) : tables_(std::move(tables)) {
  const std::size_t groups = tables_->groups();
  group_bits_ = static_cast<unsigned>(std::countr_zero(groups));
  group_ready_.assign(kDramOftenWaits * groups, 0);
  for (auto& levels : node_ready_) {
    for (std::size_t level = 0; level < kNodeLevels; ++level) {
      levels[level].assign(groups >> tables_->node_bits(level), 0);
    }
  }
  bank_ready_.assign(tables_->banks(), {});
  for (const DramTimingTables::Window& window : tables_->windows()) {
    const std::size_t nodes = groups >> tables_->node_bits(window.level);
    histories_.push_back(
        {.times = std::vector<DramTick>(nodes * window.commands, DramTimingTables::kNever),
         .oldest = std::vector<std::uint32_t>(nodes, 0)});
  }
  told_words_ = group_ready_.size();
  for (const auto& levels : node_ready_) {
    for (const auto& ready : levels) told_words_ += ready.size();
  }
  for (const History& history : histories_) told_words_ += history.times.size();
  for (std::size_t c = 0; c < kDramCommands; ++c) {
    for (const auto& update : tables_->effects(static_cast<DramCommand>(c)).updates) {
      if (update.window >= 0) longest_window_ = std::max(longest_window_, update.ticks);
    }
  }
}

DramTick DramTiming::node_ready(DramWait wait, std::size_t group) const noexcept {
  const auto& levels = node_ready_[static_cast<std::size_t>(wait) - kDramOftenWaits];
  DramTick ready = 0;
  for (std::size_t level = 0; level < kNodeLevels; ++level) {
    ready = std::max(ready, levels[level][group >> tables_->node_bits(level)]);
  }
  return ready;
}

void DramTiming::raise_node(const DramTimingTables::Update& u, std::size_t node,
                            DramTick tick) noexcept {
  if (!is_often(u.wait)) {
    auto& ready = node_ready_[static_cast<std::size_t>(u.wait) - kDramOftenWaits][u.level][node];
    ready = std::max(ready, tick);
    return;
  }
  const unsigned bits = tables_->node_bits(u.level);
  DramTick* ready =
      &group_ready_[(static_cast<std::size_t>(u.wait) << group_bits_) + (node << bits)];
  for (std::size_t g = 0; g < std::size_t{1} << bits; ++g) ready[g] = std::max(ready[g], tick);
}

// The command that a window counts from, once the one at `now` is in it.
DramTick DramTiming::counted_from(int window, std::size_t group, DramTick now,
                                  bool record) noexcept {
  const auto index = static_cast<std::size_t>(window);
  const auto& [commands, level] = tables_->windows()[index];
  History& h = histories_[index];
  const std::size_t node = group >> tables_->node_bits(level);
  if (record) {
    h.times[node * commands + h.oldest[node]] = now;
    if (++h.oldest[node] == commands) h.oldest[node] = 0;
  }
  return h.times[node * commands + h.oldest[node]];
}

void DramTiming::issue(DramCommand command, std::size_t bank, DramTick now) noexcept {
  const std::size_t group = tables_->group_of(bank);
  const DramTimingTables::Effects& effects = tables_->effects(command);
  for (const auto& [wait, ticks] : effects.of_bank) {
    auto& ready = bank_ready_[bank][static_cast<std::size_t>(wait)];
    ready = std::max(ready, now + ticks);
  }
  for (const DramTimingTables::Spread& s : effects.spreads) {
    const std::size_t place = group & (s.groups - 1);
    const auto wait = static_cast<std::size_t>(s.wait);
    DramTick* const ready = &group_ready_[(wait << group_bits_) + (group - place)];
    const DramTick* const ticks = &s.ticks[place * s.groups];
    for (std::size_t g = 0; g < s.groups; ++g) {
      const DramTick tick = now + ticks[g];
      ready[g] = ready[g] > tick ? ready[g] : tick;
    }
  }
  int recorded = -1;
  for (const DramTimingTables::Update& u : effects.updates) {
    DramTick from = now;
    if (u.window >= 0) {  // one entry a command, however many commands wait for it
      from = counted_from(u.window, group, now, recorded != u.window);
      recorded = u.window;
    }
    const unsigned bits = tables_->node_bits(u.level);
    const std::size_t own = group >> bits;
    if (!u.sibling) {
      raise_node(u, own, from + u.ticks);
      continue;
    }
    const std::size_t siblings = std::size_t{1} << (tables_->node_bits(u.level - 1U) - bits);
    const std::size_t first = own & ~(siblings - 1);
    for (std::size_t node = first; node < first + siblings; ++node) {
      if (node != own) raise_node(u, node, from + u.ticks);
    }
  }
}

// --- As words --------------------------------------------------------------------------------

void DramTiming::describe(std::size_t turn, DramTick now, DramWords& words) const {
  const std::size_t groups = tables_->groups(), turned = tables_->group_of(turn);
  DramWord* word = words.grow(told_words_);
  std::uint64_t all = 0;
  const auto put = [&](DramTick ticks) {
    all |= static_cast<std::uint64_t>(ticks);
    *word++ = static_cast<DramWord>(ticks);
  };
  for (std::size_t wait = 0; wait < kDramOftenWaits; ++wait) {
    const DramTick* const ready = &group_ready_[wait << group_bits_];
    for (std::size_t g = 0; g < groups; ++g) put(std::max<DramTick>(ready[g ^ turned] - now, 0));
  }
  for (const auto& levels : node_ready_) {
    for (std::size_t level = 0; level < kNodeLevels; ++level) {
      const std::size_t node = turned >> tables_->node_bits(level);
      const auto& ready = levels[level];
      for (std::size_t n = 0; n < ready.size(); ++n) {
        put(std::max<DramTick>(ready[n ^ node] - now, 0));
      }
    }
  }
  for (std::size_t w = 0; w < histories_.size(); ++w) {
    const auto& [commands, level] = tables_->windows()[w];
    const History& h = histories_[w];
    const std::size_t node = turned >> tables_->node_bits(level);
    for (std::size_t n = 0; n < h.oldest.size(); ++n) {
      std::size_t i = h.oldest[n ^ node];
      for (std::size_t count = 0; count < commands; ++count) {
        // What is as old as the longest rule says nothing any more.
        put(std::min(now - h.times[(n ^ node) * commands + i], longest_window_));
        if (++i == commands) i = 0;
      }
    }
  }
  words.note(all);
}

const DramWord* DramTiming::restore(std::size_t turn, DramTick now, const DramWord* word) noexcept {
  const std::size_t groups = tables_->groups(), turned = tables_->group_of(turn);
  for (std::size_t wait = 0; wait < kDramOftenWaits; ++wait) {
    DramTick* const ready = &group_ready_[wait << group_bits_];
    for (std::size_t g = 0; g < groups; ++g) ready[g ^ turned] = now + *word++;
  }
  for (auto& levels : node_ready_) {
    for (std::size_t level = 0; level < kNodeLevels; ++level) {
      const std::size_t node = turned >> tables_->node_bits(level);
      for (std::size_t n = 0; n < levels[level].size(); ++n) {
        levels[level][n ^ node] = now + *word++;
      }
    }
  }
  for (std::size_t w = 0; w < histories_.size(); ++w) {
    const auto& [commands, level] = tables_->windows()[w];
    History& h = histories_[w];
    const std::size_t node = turned >> tables_->node_bits(level);
    for (std::size_t n = 0; n < h.oldest.size(); ++n) {
      h.oldest[n ^ node] = 0;
      for (std::size_t i = 0; i < commands; ++i) {
        h.times[(n ^ node) * commands + i] = now - *word++;
      }
    }
  }
  return word;
}

void DramTiming::describe_bank(std::size_t bank, DramTick now, DramWords& words) const {
  std::array<DramTick, kDramWaits> left;
  DramTick all = 0;
  for (std::size_t wait = 0; wait < kDramWaits; ++wait) {
    left[wait] = std::max<DramTick>(bank_ready_[bank][wait] - now, 0);
    all |= left[wait];
  }
  words.put(all == 0 ? 0 : 1);  // most banks have nothing to wait for
  if (all == 0) return;
  DramWord* const word = words.grow(kDramWaits);
  for (std::size_t wait = 0; wait < kDramWaits; ++wait) {
    word[wait] = static_cast<DramWord>(left[wait]);
  }
  words.note(static_cast<std::uint64_t>(all));
}

const DramWord* DramTiming::restore_bank(std::size_t bank, DramTick now,
                                         const DramWord* word) noexcept {
  auto& ready = bank_ready_[bank];
  if (*word++ == 0) {
    ready.fill(now);
    return word;
  }
  for (std::size_t wait = 0; wait < kDramWaits; ++wait) ready[wait] = now + *word++;
  return word;
}

}  // namespace tilewave
