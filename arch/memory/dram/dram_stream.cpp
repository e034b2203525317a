// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "arch/memory/dram/dram_channel.hpp"

namespace tilewave {

bool DramChannel::describe_stream(DramTick now, Stream& stream) const noexcept {
  if (refreshes_pending_ > 0 || at_banks_[0] + at_banks_[1] > 0 ||
      timing_.tables().groups() > Stream::kMaxGroups)
    return false;
  for (std::size_t word = 0; word < rows_.mask.words(); ++word) {
    if (rows_.mask[word] != 0) return false;
  }
  const std::size_t d = write_mode_ ? 1 : 0;
  if (queued_[d] == 0) return false;
  stream.waiting = 0;
  stream.oldest = 0;
  for (std::size_t word = 0; word < waiting_[d].words(); ++word) {
    for (std::uint64_t bits = waiting_[d][word]; bits != 0; bits &= bits - 1) {
      const Bank& bank = banks_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      for (std::int16_t i = bank.head[d]; i != kNone; i = entry(i).next) {
        const Entry& e = entry(i);
        const std::uint64_t behind = order_ - e.order;
        if (e.row != bank.open_row || behind >= Stream::kWindow) return false;
        if (stream.waiting == 0) stream.next_burst = e.burst + behind + 1;
        if (e.burst + behind + 1 != stream.next_burst) return false;
        stream.waiting |= Uint128{1} << behind;
        stream.oldest = std::max(stream.oldest, behind + 1);
      }
    }
  }
  stream.tick = now;
  stream.write = write_mode_;
  stream.row_commands = row_commands_;
  stream.other_served = write_mode_ ? counts_.reads : counts_.writes;
  stream.other_waiting = queued_[1 - d];
  stream.turn_left = turn_left_;
  stream.bus_free = std::max<DramTick>(column_bus_free_ - now, 0);
  const auto wait = write_mode_ ? DramWait::wr : DramWait::rd;
  for (std::size_t g = 0; g < timing_.tables().groups(); ++g) {
    stream.ready[g] = std::max<DramTick>(timing_.group_ready(wait, g) - now, 0);
  }
  return true;
}

void DramChannel::skip(const Stream& stream, std::uint64_t bursts, DramTick ticks,
                       const Owners& owners) {
  const std::size_t d = stream.write ? 1 : 0;
  const auto command = stream.write ? DramCommand::wr : DramCommand::rd;
  for (Event& event : issued_) {
    event.burst += bursts;
    event.tick += ticks;
  }
  // What a RD or WR forbids grows with its time, so the last one of each bank stands for all.
  for (const Event& event : issued_) {
    const std::size_t bank = map_.coordinates(event.burst).bank;
    timing_.issue(command, bank, event.tick);
    column_bus_free_ = std::max(column_bus_free_, event.tick + timing_.tables().bus_ticks(command));
    last_data_ = std::max(last_data_, event.tick + data_ticks(stream.write));
    waiting_since_[d] = std::max(waiting_since_[d], event.tick);
  }
  (stream.write ? counts_.writes : counts_.reads) += bursts;
  counts_.row_hits += bursts;
  counts_.commands[static_cast<std::size_t>(command)] += bursts;
  order_ += bursts;
  for (std::size_t b = 0; b < banks_.size(); ++b) {
    if (banks_[b].head[d] == kNone) continue;
    for (std::int16_t i = banks_[b].head[d]; i != kNone; i = entry(i).next) {
      Entry& e = entry(i);
      e.burst += bursts;
      e.order += bursts;
      e.accepted += ticks;
      e.column = map_.coordinates(e.burst).column;
      e.owner = owners[e.burst % Stream::kWindow];
    }
    update_bank(b);
  }
  forget_choices();
  plan(stream.tick + ticks);
  next_ = std::min({column_.tick, row_.tick, next_refresh_, turn_due_});
}

}  // namespace tilewave
