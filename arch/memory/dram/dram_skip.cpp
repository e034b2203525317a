// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_system.hpp"

namespace tilewave {

using Stream = DramChannel::Stream;

// Once a period of bursts: is the channel in the state in which it was a period ago?
bool DramSystem::look_for_stream(Lane& lane, DramTick now) {
  const std::uint64_t period = lane.channel.stream_period();
  const Count since = lane.channel.served() - lane.served;
  if (since < period || map_.stripe_bursts() < 4 * period) return false;
  Stream stream;
  const bool streaming = lane.channel.describe_stream(now, stream) && lane.pull_at == now + 1 &&
                         parts_[lane.first_part].write == stream.write &&
                         parts_[lane.first_part].burst == stream.next_burst;
  if (streaming && lane.streaming && since == period &&
      stream.next_burst == lane.stream.next_burst + period && stream.continues(lane.stream)) {
    const DramTick period_ticks = now - lane.stream.tick;
    const std::uint64_t bursts = skippable(lane, stream, period_ticks);
    if (bursts > 0) {
      skip(lane, stream, bursts, period_ticks);
      lane.streaming = false;
      return true;
    }
  }
  lane.streaming = streaming;
  lane.stream = stream;
  lane.served = lane.channel.served();
  return false;
}

// How many bursts follow on each other, in the rows that are open, before it is interrupted and
// before less is left than what a later arrival could change (work_off). Whole periods; 0 if what
// waits would not all be served by then.
std::uint64_t DramSystem::skippable(const Lane& lane, const Stream& stream,
                                    DramTick period_ticks) const {
  const std::uint64_t stripe = map_.stripe_bursts(), period = lane.channel.stream_period();
  const std::uint64_t stripe_begin = stream.next_burst / stripe * stripe;
  // What waited a period ago must have been in these rows, too.
  if (stream.next_burst - stripe_begin < stream.oldest + period) return 0;
  const std::uint64_t in_stripe = stripe_begin + stripe - stream.next_burst;
  std::uint64_t bursts = 0;
  for (Index i = lane.first_part; i != kNone && bursts < in_stripe + kBurstsPerTick;
       i = parts_[i].next) {
    const Part& part = parts_[i];
    if (part.write != stream.write || part.burst != stream.next_burst + bursts) break;
    bursts += part.bursts;
  }
  if (!stream.write) {  // a read of a burst that waits to be written is answered from there
    lane.channel.for_each_waiting(true, [&](std::uint64_t burst, std::uint64_t) {
      if (burst >= stream.next_burst) bursts = std::min(bursts, burst - stream.next_burst);
    });
  }
  // Behind the stream's last burst others would enter in the same tick.
  bursts -= std::min<std::uint64_t>(bursts, kBurstsPerTick);
  bursts = std::min({bursts, in_stripe, lane.bursts - kBurstsPerTick - 1});
  std::uint64_t periods = bursts / period;
  if (lane.channel.next_interruption() != kNoTick) {
    const DramTick left = lane.channel.next_interruption() - stream.tick - 1;
    periods =
        std::min(periods, static_cast<std::uint64_t>(std::max<DramTick>(left / period_ticks, 0)));
  }
  return periods * period < stream.oldest ? 0 : periods * period;
}

void DramSystem::skip(Lane& lane, const Stream& stream, std::uint64_t bursts,
                      DramTick period_ticks) {
  const DramChannel& channel = lane.channel;
  const std::uint64_t period = channel.stream_period(), end = stream.next_burst + bursts;
  const auto ticks = static_cast<DramTick>(bursts / period) * period_ticks;
  const DramTick data = channel.data_ticks(stream.write);
  const auto waits_after = [&](std::uint64_t burst) {
    return end - burst <= stream.oldest && (stream.waiting >> (end - 1 - burst) & 1U) != 0;
  };
  // What waits now is done in the time skipped.
  channel.for_each_waiting(stream.write, [&](std::uint64_t burst, std::uint64_t owner) {
    bursts_done(static_cast<std::uint32_t>(owner), 1,
                channel.continued(burst, period_ticks) + data);
  });
  DramChannel::Owners owners{};
  for (std::uint64_t burst = stream.next_burst; burst < end;) {
    Part& part = parts_[lane.first_part];
    const std::uint64_t taken = std::min(part.bursts, end - burst), last = burst + taken;
    // Of bursts of one residue the last one is the latest, so the last period says it all, and the
    // window before it where bursts still wait.
    const std::uint64_t looked = std::min(taken, period + stream.oldest);
    std::uint64_t left = taken;
    DramTick done = 0;
    for (std::uint64_t b = last - looked; b < last; ++b) {
      owners[b % Stream::kWindow] = part.slot;
      if (waits_after(b)) {
        --left;
      } else {
        done = std::max(done, channel.continued(b, period_ticks) + data);
      }
    }
    if (left > 0) bursts_done(part.slot, left, done);
    part.burst += taken;
    part.bursts -= taken;
    if (part.bursts == 0) pop_part(lane);
    burst = last;
  }
  lane.bursts -= bursts;
  skipped_bursts_ += bursts;
  lane.channel.skip(stream, bursts, ticks, owners);
  lane.pull_at += ticks;
}

}  // namespace tilewave
