// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_channel.hpp"

#include <cmath>

namespace tilewave {

DramChannel::DramChannel(const DramParams& dram, const AddressMap& map, DramTiming timing)
    : map_(map),
      timing_(std::move(timing)),
      params_(dram.controller),
      read_latency_(dram.read_latency_cycles * timing_.tables().ticks_per_cycle()),
      write_latency_(dram.write_latency_cycles * timing_.tables().ticks_per_cycle()),
      half_cycles_(timing_.tables().ticks_per_cycle() == 2),
      split_bus_(dram.standard.split_command_bus),
      apart_(split_bus_ && timing_.tables().rows_and_columns_apart()),
      depth_{params_.read_queue, params_.write_queue},
      write_high_(static_cast<std::size_t>(
          std::floor(params_.write_high_watermark * static_cast<double>(params_.write_queue)))),
      write_low_(std::max<std::size_t>(  // a queue that is empty is below any mark
          1, static_cast<std::size_t>(std::ceil(params_.write_low_watermark *
                                                static_cast<double>(params_.write_queue))))),
      entries_(params_.read_queue + params_.write_queue + timing_.tables().banks()),
      banks_(timing_.tables().banks()),
      max_wait_(static_cast<DramTick>(params_.max_wait_cycles) *
                timing_.tables().ticks_per_cycle()),
      order_(timing_.tables().banks()),
      block_bursts_(std::min<std::uint64_t>(map.stripe_bursts(), kMostBlock)),
      pattern_bursts_(map.period_bursts() < map.stripe_bursts()
                          ? std::min(map.period_bursts(), block_bursts_)
                          : block_bursts_),
      listed_(timing_.tables().banks(), 0) {
  for (std::uint64_t i = 0; i < pattern_bursts_; ++i) {
    low_bank_.push_back(map.coordinates(i).bank);
  }
  for (std::size_t i = entries_.size(); i-- > 0;) free_.push_back(static_cast<std::int16_t>(i));
  for (auto* mask : {&waiting_[0], &waiting_[1], &blocked_, &columns_.mask, &rows_.mask}) {
    mask->resize(banks_.size());
  }
  columns_.of.resize(banks_.size());
  rows_.of.resize(banks_.size());
  if (params_.refresh == DramRefresh::none) return;
  const bool per_bank = params_.refresh == DramRefresh::per_bank;
  const DramLevel level = per_bank ? DramLevel::bank : dram.standard.refresh_all_scope;
  refresh_command_ = per_bank ? DramCommand::ref_bank : DramCommand::ref_all;
  const DramTick interval =
      timing_.tables().ticks_per_cycle() *
      (per_bank ? dram.refresh_bank_interval_cycles : dram.refresh_all_interval_cycles);
  for (std::size_t bank = 0; bank < banks_.size();) {
    const auto [first, last] = timing_.tables().scope(level, bank);
    const auto turn = per_bank ? static_cast<DramTick>(scopes_.size()) : 0;  // one bank at a time
    scopes_.push_back({.first_bank = first, .last_bank = last, .due = interval * (turn + 1)});
    bank = last;
  }
  refresh_period_ = interval * (per_bank ? static_cast<DramTick>(scopes_.size()) : 1);
  next_refresh_ = interval;
}

// --- Requests --------------------------------------------------------------------------------

void DramChannel::accept(DramTick now, std::uint64_t burst, bool write, std::uint64_t owner) {
  if (idle()) catch_up(now);
  const auto place = map_.coordinates(burst);
  Bank& bank = banks_[place.bank];
  if (bank.head[1] != kNone && find_burst(bank, place.row, place.column) != kNone) {
    ++(write ? counts_.merged_writes : counts_.forwarded_reads);
    if (log_ != nullptr) {
      using enum DramEvent::What;
      log_->push_back({.tick = now, .what = write ? merged_write : forwarded_read});
    }
    if (listener_ != nullptr) {
      listener_->on_served(owner, write, now, now + timing_.tables().ticks_per_cycle());
    }
    return;
  }
  const std::size_t direction = write ? 1 : 0;
  const std::int16_t index = free_.back();
  free_.pop_back();
  entry(index) = {.row = place.row,
                  .burst = burst,
                  .order = ++order_,
                  .owner = owner,
                  .accepted = now,
                  .column = place.column,
                  .bank = static_cast<std::uint16_t>(place.bank),
                  .next = kNone,
                  .previous = kNone,
                  .write = write,
                  .classified = false};
  const bool first_of_kind =
      (bank.open_row == place.row ? bank.hit : bank.miss)[direction] == kNone;
  if (waiting(direction) == 0) waiting_since_[direction] = now;
  append(index);
  ++queued_[direction];
  if (!planned_) {
    if (first_of_kind) bank_changed(place.bank, now);
    next_ = std::min(next_, now);
    return;
  }
  const bool mode = write_mode_;
  update_mode(now);
  if (mode != write_mode_) {
    planned_ = false;
    next_ = std::min(next_, now);
    return;
  }
  next_ = std::min(next_, turn_due_);
  // It matters to what the bank sends next only if it is the first of its kind there. Then it adds a
  // command to choose from; or it takes one away: the bank is not closed as long as its row is hit.
  if (!first_of_kind || write != write_mode_ || bank.opener != kNone) return;
  bank_changed(place.bank, now);
  if (bank.hit[direction] != kNone && bank.miss[direction] != kNone) {
    planned_ = false;
    next_ = std::min(next_, now);
    return;
  }
  next_ = std::min({next_, column_.tick, row_.tick});
}

void DramChannel::append(std::int16_t index) {
  Entry& e = entry(index);
  Bank& bank = banks_[e.bank];
  const std::size_t d = e.write ? 1 : 0;
  e.previous = bank.tail[d];
  (bank.tail[d] == kNone ? bank.head[d] : entry(bank.tail[d]).next) = index;
  bank.tail[d] = index;
  std::int16_t& first = bank.open_row == e.row ? bank.hit[d] : bank.miss[d];
  if (first == kNone) first = index;
  waiting_[d].set(e.bank);
}

void DramChannel::remove(std::int16_t index) {
  Entry& e = entry(index);
  Bank& bank = banks_[e.bank];
  const std::size_t d = e.write ? 1 : 0;
  (e.previous == kNone ? bank.head[d] : entry(e.previous).next) = e.next;
  (e.next == kNone ? bank.tail[d] : entry(e.next).previous) = e.previous;
  if (bank.hit[d] == index) bank.hit[d] = find_from(e.next, bank.open_row, true);
  if (bank.head[d] == kNone) waiting_[d].clear(e.bank);
  if (bank.opener == index) {
    bank.opener = kNone;
    --at_banks_[d];
  } else {
    --queued_[d];
  }
  free_.push_back(index);
}

std::int16_t DramChannel::find_from(std::int16_t index, std::int64_t row,
                                    bool same) const noexcept {
  while (index != kNone && (entry(index).row == row) != same) {
    index = entry(index).next;
  }
  return index;
}

// Of the writes that wait.
std::int16_t DramChannel::find_burst(const Bank& bank, std::int64_t row,
                                     std::uint32_t column) const noexcept {
  std::int16_t i = bank.head[1];
  for (; i != kNone; i = entry(i).next) {
    const Entry& e = entry(i);
    if (e.row == row && e.column == column) break;
  }
  return i;
}

void DramChannel::open(std::size_t index, std::int64_t row, std::int16_t opener) {
  Bank& bank = banks_[index];
  bank.open_row = row;
  bank.opener = opener;
  bank.passed = 0;
  const std::size_t direction = entry(opener).write ? 1 : 0;
  ++at_banks_[direction];
  --queued_[direction];
  for (std::size_t d = 0; d < 2; ++d) {
    bank.hit[d] = find_from(bank.head[d], row, true);
    bank.miss[d] = find_from(bank.head[d], row, false);
  }
}

void DramChannel::close(std::size_t index) {
  Bank& bank = banks_[index];
  bank.open_row = -1;
  bank.hit = {kNone, kNone};
  bank.miss = bank.head;
}

// --- Refresh ---------------------------------------------------------------------------------

void DramChannel::start_refreshes(DramTick now) {
  next_refresh_ = kNoTick;
  for (RefreshScope& scope : scopes_) {
    if (!scope.pending && scope.due <= now) {
      scope.pending = true;
      ++refreshes_pending_;
      for (std::size_t b = scope.first_bank; b < scope.last_bank; ++b) {
        blocked_.set(b);
        update_bank(b);
      }
    }
    if (!scope.pending) next_refresh_ = std::min(next_refresh_, scope.due);
  }
  forget_choices();
  planned_ = false;
}

void DramChannel::plan_refresh(DramTick from) {
  for (RefreshScope& scope : scopes_) {
    if (!scope.pending) continue;
    bool any_open = false, any_opener = false;
    for (std::size_t b = scope.first_bank; b < scope.last_bank; ++b) {
      any_open = any_open || banks_[b].open_row >= 0;
      any_opener = any_opener || banks_[b].opener != kNone;
    }
    if (any_opener) continue;  // its row was opened for a request that is served first
    const bool all = refresh_command_ == DramCommand::ref_all;
    const auto close_command = all ? DramCommand::pre_all : DramCommand::pre;
    const auto command = any_open ? close_command : refresh_command_;
    scope.next = candidate(command, scope.first_bank, kNone, banks_.size());
    consider(row_choice(), scope.next, std::max(from, row_bus_free()));
  }
}

void DramChannel::catch_up(DramTick now) {
  if (next_refresh_ >= now && refreshes_pending_ == 0) return;
  // Of many refreshes of an idle channel only the last ones leave a trace in its timing.
  constexpr DramTick kKept = 2;
  const DramTick missed = refresh_period_ == 0 ? 0 : (now - next_refresh_) / refresh_period_;
  if (refreshes_pending_ == 0 && missed > 2 * kKept) {
    advance(next_refresh_);  // closes the rows in time
    while (refreshes_pending_ > 0) advance(next_);
    const DramTick skipped = (now - next_refresh_) / refresh_period_ - kKept;
    for (RefreshScope& scope : scopes_) scope.due += skipped * refresh_period_;
    next_refresh_ += skipped * refresh_period_;
    counts_.commands[static_cast<std::size_t>(refresh_command_)] +=
        static_cast<Count>(skipped) * scopes_.size();
    next_ = next_refresh_;
  }
  while (std::min(next_, next_refresh_) < now) advance(std::min(next_, next_refresh_));
}

// --- Issuing ---------------------------------------------------------------------------------

void DramChannel::advance(DramTick now) {
  if (now >= next_refresh_) start_refreshes(now);
  if (!planned_ || now >= turn_due_) plan(now);
  while (column_.tick <= now || row_.tick <= now) {
    if (column_.tick <= now) {
      const Candidate column = *column_.candidate;
      // Row commands do not care about a RD or WR at the same tick to another bank.
      const bool both =
          row_.tick <= now && row_.candidate->entry != kNone && row_.candidate->bank != column.bank;
      const Candidate row = both ? *row_.candidate : Candidate{};
      issue(column, now);
      if (both) issue(row, now);
    } else {
      issue(Candidate(*row_.candidate), now);
    }
    plan(now);
  }
  next_ = std::min({column_.tick, row_.tick, next_refresh_, turn_due_});
}

void DramChannel::issue(const Candidate& choice, DramTick now) {
  if (choice.wait == DramWait::rd || choice.wait == DramWait::wr) {
    issue_column(choice.entry, now);
  } else {
    issue_row(choice, now);
  }
}

void DramChannel::send(DramCommand command, std::size_t bank, std::int64_t row, DramTick now,
                       DramEvent::Found found, std::uint64_t order) {
  if (log_ != nullptr) {
    log_->push_back({.tick = now, .order = order, .command = command, .found = found});
  }
  const auto wait = DramTimingTables::wait_of(command);
  const bool column = wait == DramWait::rd || wait == DramWait::wr;
  const bool on_column_bus = column || !split_bus_;
  (on_column_bus ? column_bus_free_ : row_bus_free_) = now + timing_.tables().bus_ticks(command);
  (on_column_bus ? column_ : row_).known = false;
  if (!apart_) forget_choices();
  timing_.issue(command, bank, now);
  ++counts_.commands[static_cast<std::size_t>(command)];
  if (trace_ != nullptr) trace_->on_command(now, command, bank, row);
}

void DramChannel::issue_column(std::int16_t index, DramTick now) {
  Entry& e = entry(index);
  Bank& bank = banks_[e.bank];
  const auto found = classify(e, bank);
  const bool auto_precharge = params_.page_policy == DramPagePolicy::closed && !wanted_after(e);
  const auto command = e.write ? (auto_precharge ? DramCommand::wr_ap : DramCommand::wr)
                               : (auto_precharge ? DramCommand::rd_ap : DramCommand::rd);
  send(command, e.bank, e.row, now, found, e.order);
  const DramTick done = now + (e.write ? write_latency_ : read_latency_);
  last_data_ = std::max(last_data_, done);
  ++(e.write ? counts_.writes : counts_.reads);
  if (turn_left_ > 0 && e.write == write_mode_) --turn_left_;
  waiting_since_[e.write ? 1 : 0] = now;
  const std::int16_t miss = bank.miss[e.write ? 1 : 0];
  if (miss != kNone && entry(miss).order < e.order) ++bank.passed;
  const std::size_t bank_index = e.bank;
  remove(index);
  if (auto_precharge) close(bank_index);
  if (hits_go_on(bank_index, e.write)) {
    const std::int16_t next = bank.hit[e.write ? 1 : 0];
    columns_.of[bank_index] =
        candidate(e.write ? DramCommand::wr : DramCommand::rd, bank_index, next, entry(next).order);
  } else {
    bank_changed(bank_index, now);
  }
  if (listener_ != nullptr) listener_->on_served(e.owner, e.write, e.accepted, done);
}

// Another request, of either direction, waits for the row of this one.
bool DramChannel::wanted_after(const Entry& served) const noexcept {
  const Bank& bank = banks_[served.bank];
  const auto others = [&](std::int16_t i) {
    if (i != kNone && entry(i).order == served.order) {
      i = find_from(entry(i).next, served.row, true);
    }
    return i != kNone;
  };
  return others(bank.hit[0]) || others(bank.hit[1]);
}

void DramChannel::issue_row(const Candidate& choice, DramTick now) {
  Bank& bank = banks_[choice.bank];
  std::int64_t row = -1;
  auto found = DramEvent::Found::nothing_new;
  if (choice.entry != kNone) {
    Entry& e = entry(choice.entry);
    found = classify(e, bank);
    row = e.row;
  }
  send(choice.command, choice.bank, row, now, found);
  switch (choice.command) {
    case DramCommand::act:
      open(choice.bank, row, choice.entry);
      bank_changed(choice.bank, now);
      break;
    case DramCommand::pre:
      close(choice.bank);
      bank_changed(choice.bank, now);
      break;
    default: {  // of a refresh: all banks of its scope
      forget_choices();
      for (RefreshScope& scope : scopes_) {
        if (scope.first_bank != choice.bank) continue;
        for (std::size_t b = scope.first_bank; b < scope.last_bank; ++b) {
          if (choice.command == DramCommand::pre_all) {
            close(b);
          } else {
            blocked_.clear(b);
          }
          update_bank(b);
        }
        if (choice.command == DramCommand::pre_all) break;
        scope.pending = false;
        scope.due += refresh_period_;
        --refreshes_pending_;
        next_refresh_ = std::min(next_refresh_, scope.due);
        break;
      }
    }
  }
}

DramEvent::Found DramChannel::classify(Entry& request, const Bank& bank) noexcept {
  using enum DramEvent::Found;
  if (request.classified) return nothing_new;
  request.classified = true;
  if (bank.open_row == request.row) return ++counts_.row_hits, row_open;
  return bank.open_row < 0 ? (++counts_.row_closed, no_row) : (++counts_.row_conflicts, other_row);
}

}  // namespace tilewave
