// SPDX-License-Identifier: Apache-2.0
// A channel's state in the terms of a stretch (dram_stretch.hpp), there and back.
#include "arch/memory/dram/dram_stretch.hpp"

#include <array>
#include <bit>

#include "arch/memory/dram/dram_channel.hpp"

namespace tilewave {
namespace {

constexpr int kPlaces = DramWaiting::kPlaces;
// In the place of a row's number.
constexpr std::uint64_t kClosed = 254, kOther = 255;
constexpr std::size_t kMostRows = 250;
constexpr std::uint64_t kNoOpener = kPlaces;

void put(DramWords& words, const DramPlaces& places) {
  DramWord* word = words.grow(kPlaces / 16);
  for (const std::uint64_t bits : places.words()) {
    for (unsigned shift = 0; shift < 64; shift += 16)
      *word++ = static_cast<DramWord>(bits >> shift);
  }
}

/// Of each piece what still waits, adjacent ones of a block as one.
void trim(std::vector<DramPiece>& pieces, const DramPlaces& waiting, std::uint64_t block_bursts) {
  std::size_t kept = 0;
  for (const DramPiece& piece : pieces) {
    const int first_place = std::max(piece.place, 0);
    const int end_place = std::min(piece.place + piece.count, kPlaces);
    if (end_place <= first_place) continue;
    DramPiece left = piece;
    left.place = waiting.first_from(first_place);
    if (left.place >= end_place) continue;
    left.count = waiting.last_before(end_place) + 1 - left.place;
    left.burst = piece.burst + static_cast<std::uint64_t>(left.place - piece.place);
    if (kept > 0) {
      DramPiece& before = pieces[kept - 1];
      if (before.burst / block_bursts == left.burst / block_bursts &&
          left.burst - before.burst == static_cast<std::uint64_t>(left.place - before.place)) {
        before.count = left.place + left.count - before.place;
        continue;
      }
    }
    pieces[kept++] = left;
  }
  pieces.resize(kept);
}

}  // namespace

void DramEvent::subtract_from(DramCounts& counts) const noexcept {
  if (what != What::command) {
    --(what == What::merged_write ? counts.merged_writes : counts.forwarded_reads);
    return;
  }
  --counts.commands[static_cast<std::size_t>(command)];
  const auto wait = DramTimingTables::wait_of(command);
  if (wait == DramWait::rd) --counts.reads;
  if (wait == DramWait::wr) --counts.writes;
  if (found == Found::row_open) --counts.row_hits;
  if (found == Found::no_row) --counts.row_closed;
  if (found == Found::other_row) --counts.row_conflicts;
}

bool DramChannel::steady(bool write) const noexcept {
  return planned_ && write_mode_ == write && turn_left_ == 0 && turn_due_ == kNoTick &&
         waiting(write ? 0 : 1) == 0;
}

bool DramChannel::view(DramTick now, DramWaiting& view) const {
  const std::size_t d = write_mode_ ? 1 : 0;
  if (!steady(write_mode_) || waiting(d) == 0 || waiting(d) > kPlaces) return false;
  std::array<std::int16_t, kPlaces> at;
  at.fill(kNone);
  view.now = now;
  view.write = write_mode_;
  view.waiting = view.classified = {};
  view.opener.assign(banks_.size(), 0);
  for (std::size_t word = 0; word < waiting_[d].words(); ++word) {
    for (std::uint64_t bits = waiting_[d][word]; bits != 0; bits &= bits - 1) {
      const std::size_t b = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (banks_[b].opener != kNone) view.opener[b] = entry(banks_[b].opener).order;
      for (std::int16_t i = banks_[b].head[d]; i != kNone; i = entry(i).next) {
        const std::uint64_t behind = order_ - entry(i).order;
        if (behind >= kPlaces) return false;
        at[kPlaces - 1 - behind] = i;
      }
    }
  }
  view.pieces.clear();
  view.owners.clear();
  for (int place = 0; place < kPlaces; ++place) {
    if (at[static_cast<std::size_t>(place)] == kNone) continue;
    const Entry& e = entry(at[static_cast<std::size_t>(place)]);
    view.waiting.set(place);
    if (e.classified) view.classified.set(place);
    const auto owner = static_cast<std::uint32_t>(e.owner);
    if (!view.owners.empty() && view.owners.back().owner == owner) {
      view.owners.back().end = place + 1;
    } else {
      view.owners.push_back({place + 1, owner});
    }
    if (!view.pieces.empty()) {
      DramPiece& last = view.pieces.back();
      if (last.burst / block_bursts_ == e.burst / block_bursts_ &&
          e.burst - last.burst == static_cast<std::uint64_t>(place - last.place)) {
        last.count = place + 1 - last.place;
        continue;
      }
    }
    view.pieces.push_back(piece(e.burst, place, 1));
  }
  return true;
}

DramPiece DramChannel::piece(std::uint64_t burst, int place, int count) const noexcept {
  return {.burst = burst,
          .place = place,
          .count = count,
          .block = map_.map().coordinates(burst / block_bursts_ * block_bursts_)};
}

// All banks of a scope that the frame does not list are closed, or one of them is open.
bool DramChannel::others_open(const RefreshScope& scope, const DramFrame& frame) const noexcept {
  for (std::size_t b = scope.first_bank; b < scope.last_bank; ++b) {
    if (banks_[b].open_row >= 0 && std::ranges::find(frame.banks, b) == frame.banks.end()) {
      return true;
    }
  }
  return false;
}

bool DramChannel::describe(const DramWaiting& view, const DramInput& input, DramTick horizon,
                           DramFrame& frame, DramWords& words) {
  // Among requests whose row is open ready_first takes the one of the lowest bank.
  const bool same_banks = params_.scheduler == DramScheduler::ready_first;
  frame.turn = same_banks ? 0 : input.pieces.front().block.bank;
  frame.banks.clear();
  frame.rows.clear();
  frame.scopes.clear();
  words.clear();
  words.put((view.write ? 1U : 0U) |
            (half_cycles_ ? static_cast<unsigned>(view.now & 1) << 1U : 0));
  words.put(static_cast<std::uint64_t>(input.bursts));
  words.put(view.pieces.size());
  put(words, view.waiting);
  put(words, view.classified);
  ++listing_;
  const auto list = [&](std::size_t bank) {
    if (listed_[bank] == listing_) return;
    listed_[bank] = listing_;
    frame.banks.push_back(static_cast<std::uint16_t>(bank));
  };
  for (const auto* pieces : {&view.pieces, &input.pieces}) {
    for (const DramPiece& piece : *pieces) {
      std::size_t row = 0;
      while (row < frame.rows.size() && frame.rows[row] != piece.block.row) ++row;
      if (row == frame.rows.size()) frame.rows.push_back(piece.block.row);
      words.put(static_cast<std::uint64_t>(piece.place));
      words.put(static_cast<std::uint64_t>(piece.count));
      words.put(piece.burst & (pattern_bursts_ - 1));
      words.put(piece.block.bank ^ frame.turn);
      words.put(row);
      const auto distinct =
          std::min<std::uint64_t>(static_cast<std::uint64_t>(piece.count), pattern_bursts_);
      for (std::uint64_t i = 0; i < distinct; ++i) {
        list(piece.block.bank ^ low_bank_[(piece.burst + i) & (pattern_bursts_ - 1)]);
      }
    }
  }
  if (frame.rows.size() > kMostRows) return false;
  if (horizon > 0) {
    for (std::size_t s = 0; s < scopes_.size(); ++s) {
      const RefreshScope& scope = scopes_[s];
      if (!scope.pending && scope.due >= view.now + horizon) continue;
      frame.scopes.push_back(static_cast<std::uint16_t>(s));
      list(scope.first_bank);
      words.put((scope.first_bank ^ frame.turn) / (scope.last_bank - scope.first_bank));
    }
    words.put(frame.scopes.size());
  }
  write_state(view, frame, words);
  return words.complete();
}

void DramChannel::write_state(const DramWaiting& view, const DramFrame& frame,
                              DramWords& words) const {
  for (const std::size_t b : frame.banks) {
    const Bank& bank = banks_[b];
    std::uint64_t row = kClosed;
    if (bank.open_row >= 0) {
      const auto found = std::ranges::find(frame.rows, bank.open_row);
      row = found == frame.rows.end() ? kOther
                                      : static_cast<std::uint64_t>(found - frame.rows.begin());
    }
    words.put(row);
    words.put(view.opener[b] == 0 ? kNoOpener : kPlaces - 1 - (order_ - view.opener[b]));
    words.put(std::min<Count>(bank.passed, params_.row_hit_cap));
    timing_.describe_bank(b, view.now, words);
  }
  timing_.describe(frame.turn, view.now, words);
  for (const DramTick free : {column_bus_free_, row_bus_free_}) {
    words.put(static_cast<std::uint64_t>(std::max<DramTick>(free - view.now, 0)));
  }
  for (const std::size_t s : frame.scopes) {
    const RefreshScope& scope = scopes_[s];
    words.put((scope.pending ? 1U : 0U) | (others_open(scope, frame) ? 2U : 0U));
    const auto due = static_cast<std::uint32_t>(scope.due - view.now);  // it may be over
    words.put(due & 0xffffU);
    words.put(due >> 16U);
  }
}

void DramChannel::read_state(DramWaiting& view, const DramFrame& frame,
                             const std::vector<DramWord>& words) {
  const DramWord* word = words.data();
  for (const std::size_t b : frame.banks) {
    Bank& bank = banks_[b];
    const std::uint64_t row = *word++, opener = *word++;
    if (row == kClosed) {
      bank.open_row = -1;
    } else if (row != kOther) {
      bank.open_row = frame.rows[row];
    }
    view.opener[b] = opener == kNoOpener ? 0 : order_ - (kPlaces - 1) + opener;
    bank.passed = *word++;
    word = timing_.restore_bank(b, view.now, word);
  }
  word = timing_.restore(frame.turn, view.now, word);
  column_bus_free_ = view.now + *word++;
  row_bus_free_ = view.now + *word++;
  if (frame.scopes.empty()) return;
  for (const std::size_t s : frame.scopes) {
    RefreshScope& scope = scopes_[s];
    const unsigned flags = *word++;
    const bool pending = (flags & 1U) != 0, closes = (flags & 2U) == 0;
    if (pending != scope.pending) {
      refreshes_pending_ += pending ? 1 : std::size_t{0} - 1;
      for (std::size_t b = scope.first_bank; b < scope.last_bank; ++b) {
        pending ? blocked_.set(b) : blocked_.clear(b);
      }
    }
    if (closes) {
      for (std::size_t b = scope.first_bank; b < scope.last_bank; ++b) {
        if (std::ranges::find(frame.banks, b) == frame.banks.end()) banks_[b].open_row = -1;
      }
    }
    scope.pending = pending;
    const std::uint32_t low = *word++, high = *word++;
    scope.due = view.now + static_cast<std::int32_t>(low | high << 16U);
  }
  next_refresh_ = kNoTick;
  for (const RefreshScope& scope : scopes_) {
    if (!scope.pending) next_refresh_ = std::min(next_refresh_, scope.due);
  }
}

void DramChannel::take(DramWaiting& view, const DramInput& input, const DramFrame& frame,
                       const DramOutcome& outcome) {
  const std::size_t d = view.write ? 1 : 0;
  last_data_ = std::max(last_data_, view.now + outcome.last_data);
  view.now += outcome.ticks;
  view.waiting = outcome.waiting;
  view.classified = outcome.classified;
  view.pieces.insert(view.pieces.end(), input.pieces.begin(), input.pieces.end());
  for (DramPiece& piece : view.pieces) piece.place -= outcome.taken;
  trim(view.pieces, view.waiting, block_bursts_);
  order_ += static_cast<std::uint64_t>(outcome.taken);
  counts_ += outcome.counts;
  if (outcome.last_data > 0) waiting_since_[d] = view.now - outcome.since_column;
  read_state(view, frame, outcome.state);
}

void DramChannel::resume(const DramWaiting& view) {
  const std::size_t d = view.write ? 1 : 0;
  BankMask changed = waiting_[d];
  for (std::size_t b = 0; b < banks_.size(); ++b) {
    Bank& bank = banks_[b];
    if (waiting_[d].test(b)) {
      bank.head[d] = bank.tail[d] = bank.hit[d] = bank.miss[d] = bank.opener = kNone;
      waiting_[d].clear(b);
    }
  }
  free_.clear();
  for (std::size_t i = entries_.size(); i-- > 0;) free_.push_back(static_cast<std::int16_t>(i));
  queued_[d] = at_banks_[d] = 0;
  std::size_t run = 0;
  for (const DramPiece& piece : view.pieces) {
    for (int i = 0; i < piece.count; ++i) {
      const int place = piece.place + i;
      if (!view.waiting.test(place)) continue;
      while (view.owners[run].end <= place) ++run;
      const std::uint64_t burst = piece.burst + static_cast<std::uint64_t>(i);
      const auto at = map_.coordinates(burst);
      const std::int16_t index = free_.back();
      free_.pop_back();
      entry(index) = {.row = at.row,
                      .burst = burst,
                      .order = order_ - static_cast<std::uint64_t>(kPlaces - 1 - place),
                      .owner = view.owners[run].owner,
                      .accepted = view.now,  // not known any more; nobody asks
                      .column = at.column,
                      .bank = static_cast<std::uint16_t>(at.bank),
                      .next = kNone,
                      .previous = kNone,
                      .write = view.write,
                      .classified = view.classified.test(place)};
      append(index);
      if (entry(index).order == view.opener[at.bank]) {
        banks_[at.bank].opener = index;
        ++at_banks_[d];
      } else {
        ++queued_[d];
      }
    }
  }
  for (std::size_t b = 0; b < banks_.size(); ++b) {
    if (changed.test(b) || waiting_[d].test(b)) update_bank(b);
  }
  forget_choices();
  plan(view.now);
  next_ = std::min({column_.tick, row_.tick, next_refresh_, turn_due_});
}

}  // namespace tilewave
