// SPDX-License-Identifier: Apache-2.0
// Which command of a channel goes next.
#include <bit>
#include <limits>

#include "arch/memory/dram/dram_channel.hpp"

namespace tilewave {

void DramChannel::update_mode(DramTick now) {
  const bool due = now >= turn_due_;
  if (!write_mode_ && !due && turn_left_ == 0 && queued_[0] > 0 && waiting(1) == 0) {
    turn_due_ = kNoTick;  // only reads: the most frequent case
    return;
  }
  if (!due && turn_left_ > 0 && waiting(write_mode_ ? 1 : 0) > 0) return;
  turn_left_ = 0;
  bool write_mode = write_mode_ ? !(queued_[1] < write_low_ && queued_[0] != 0)
                                : queued_[1] > write_high_ || queued_[0] == 0;
  if (due) {
    write_mode = !write_mode_;
    turn_left_ = waiting(write_mode ? 1 : 0);
    turn_began_ = now;
  }
  // A turn lasts as long at least before the next one is forced.
  const std::size_t other = write_mode ? 0 : 1;
  turn_due_ = waiting(other) > 0 && max_wait_ > 0
                  ? std::max(waiting_since_[other], turn_began_) + max_wait_
                  : kNoTick;
  if (write_mode == write_mode_) return;
  write_mode_ = write_mode;
  forget_choices();
  for (std::size_t word = 0; word < waiting_[0].words(); ++word) {
    for (std::uint64_t bits = waiting_[0][word] | waiting_[1][word]; bits != 0; bits &= bits - 1) {
      update_bank(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

DramChannel::Candidate DramChannel::candidate(DramCommand command, std::size_t bank,
                                              std::int16_t index,
                                              std::uint64_t order) const noexcept {
  const auto wait = DramTimingTables::wait_of(command);
  // Only a precharge may go on the falling edge.
  const bool precharge = wait == DramWait::pre || wait == DramWait::pre_all;
  return {.ready = timing_.bank_ready(wait, bank),
          .order = order,
          .node = timing_.group_node(wait, timing_.tables().group_of(bank)),
          .bank = static_cast<std::uint16_t>(bank),
          .entry = index,
          .wait = wait,
          .command = command,
          .on_edge = static_cast<std::uint8_t>(half_cycles_ && !precharge ? 1 : 0)};
}

// After a RD or WR the bank has another one to send, and nothing else, as before.
bool DramChannel::hits_go_on(std::size_t index, bool write) const noexcept {
  const Bank& bank = banks_[index];
  const std::size_t d = write ? 1 : 0;
  return write == write_mode_ && bank.hit[d] != kNone && bank.miss[d] == kNone &&
         columns_.mask.test(index) && !rows_.mask.test(index) && !blocked_.test(index);
}

void DramChannel::propose(Candidates& candidates, std::size_t bank, std::int16_t index,
                          DramCommand command, bool urgent) {
  candidates.mask.set(bank);
  candidates.of[bank] = candidate(command, bank, index, urgent ? bank : entry(index).order);
}

// Something happened at the bank: what that means for the choices already made.
void DramChannel::bank_changed(std::size_t index, DramTick now) {
  update_bank(index);
  const auto reconsider = [&](Choice& choice, const Candidates& candidates, DramTick bus_free) {
    const Candidate& c = candidates.of[index];
    if (choice.candidate == &c) choice.known = false;
    if (choice.known && candidates.mask.test(index)) consider(choice, c, std::max(now, bus_free));
  };
  reconsider(column_, columns_, column_bus_free_);
  reconsider(row_choice(), rows_, row_bus_free());
}

// What the bank has to send next over each bus.
void DramChannel::update_bank(std::size_t index) {
  const Bank& bank = banks_[index];
  columns_.mask.clear(index);
  rows_.mask.clear(index);
  const auto column = [&](std::int16_t i, bool urgent) {
    propose(columns_, index, i, entry(i).write ? DramCommand::wr : DramCommand::rd, urgent);
  };
  if (bank.opener != kNone) {
    column(bank.opener, params_.scheduler == DramScheduler::ready_first);
    return;
  }
  if (blocked_.test(index)) return;
  const std::size_t d = write_mode_ ? 1 : 0;
  const std::int16_t hit = bank.hit[d], miss = bank.miss[d];
  const bool older_miss = hit != kNone && miss != kNone && entry(miss).order < entry(hit).order;
  bool hit_may = hit != kNone, miss_may = miss != kNone;
  switch (params_.scheduler) {
    case DramScheduler::fr_fcfs:
      hit_may = hit_may && !(older_miss && bank.passed >= params_.row_hit_cap);
      miss_may = miss_may && !hit_may;
      break;
    case DramScheduler::fcfs:
      hit_may = hit_may && !older_miss;
      miss_may = miss_may && !hit_may;
      break;
    case DramScheduler::ready_first:
      break;
  }
  if (hit_may) column(hit, false);
  if (miss_may) {
    const auto command = bank.open_row < 0 ? DramCommand::act : DramCommand::pre;
    propose(rows_, index, miss, command, false);
  }
}

void DramChannel::consider(Choice& best, const Candidate& c, DramTick from) const noexcept {
  const std::size_t group = timing_.tables().group_of(c.bank);
  DramTick tick = std::max({c.ready, timing_.group_ready(c.wait, group), from});
  tick += tick & c.on_edge;
  if (tick > best.tick || (tick == best.tick && c.order >= best.order)) return;
  best.tick = tick;
  best.candidate = &c;
  best.order = c.order;
}

// As consider(), of each. Tick and order are compared as one number, so that a candidate takes two
// instructions that wait for the one before, and no branch, as none of them could be foretold.
void DramChannel::scan(Choice& best, const Candidates& candidates, DramTick from) const noexcept {
  constexpr unsigned kOrderBits = 44;  // 10^13 bursts
  constexpr std::uint64_t kMostWait = (std::uint64_t{1} << (64 - kOrderBits)) - 1;
  const auto key_of = [](DramTick wait, std::uint64_t order) {
    return static_cast<std::uint64_t>(wait) << kOrderBits | order;
  };
  std::uint64_t longest = 0, best_key = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t best_bank = banks_.size();
  if (best.candidate != nullptr) {
    longest = static_cast<std::uint64_t>(best.tick - from);
    best_key = key_of(best.tick - from, best.order);
  }
  const Candidate* const of_bank = candidates.of.data();
  for (std::size_t word = 0; word < candidates.mask.words(); ++word) {
    for (std::uint64_t bits = candidates.mask[word]; bits != 0; bits &= bits - 1) {
      const std::size_t bank = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      const Candidate& c = of_bank[bank];
      DramTick tick = std::max({c.ready, timing_.often_ready(c.node), from});
      tick += tick & c.on_edge;
      const std::uint64_t key = key_of(tick - from, c.order);
      longest |= static_cast<std::uint64_t>(tick - from);
      best_bank = key < best_key ? bank : best_bank;
      best_key = std::min(key, best_key);
    }
  }
  if (longest >= kMostWait) {  // not one number any more
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
      if (candidates.mask.test(bank)) consider(best, of_bank[bank], from);
    }
    return;
  }
  if (best_bank == banks_.size()) return;  // none is better than the one before
  best.tick = from + static_cast<DramTick>(best_key >> kOrderBits);
  best.order = of_bank[best_bank].order;
  best.candidate = &of_bank[best_bank];
}

// A choice that is known stays: its tick is not before `from`, and what can go then is the same.
void DramChannel::plan(DramTick from) {
  update_mode(from);
  if (refreshes_pending_ > 0) forget_choices();
  if (!column_.known) {
    column_ = {.known = true};
    scan(column_, columns_, std::max(from, column_bus_free_));
    if (!split_bus_) scan(column_, rows_, std::max(from, column_bus_free_));
  }
  if (!row_.known) {
    row_ = {.known = true};
    if (split_bus_) scan(row_, rows_, std::max(from, row_bus_free_));
  }
  if (refreshes_pending_ > 0) plan_refresh(from);
  planned_ = true;
}

}  // namespace tilewave
