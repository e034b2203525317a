// SPDX-License-Identifier: Apache-2.0
// Bursts in order into channels, and where they are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "arch/memory/dram/address_map.hpp"
#include "arch/memory/dram/dram_channel.hpp"
#include "arch/memory/dram/dram_params.hpp"

namespace tilewave::test {

/// All channels of a memory, without the queues of DramSystem before them.
class Channels {
 public:
  Channels(const DramParams& dram, DramChannel::Listener* listener = nullptr,
           DramChannel::Trace* trace = nullptr)
      : map_(dram) {
    channels_.reserve(dram.organisation.channels);
    for (Count c = 0; c < dram.organisation.channels; ++c) {
      channels_.emplace_back(dram, map_);
      if (listener != nullptr) channels_.back().connect(*listener);
      channels_.back().set_trace(trace);
    }
    next_.assign(channels_.size(), kNoTick);
  }
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  [[nodiscard]] const AddressMap& map() const noexcept { return map_; }
  [[nodiscard]] DramChannel& operator[](std::size_t channel) { return channels_[channel]; }
  [[nodiscard]] DramCounts counts() const {
    DramCounts total;
    for (const DramChannel& channel : channels_) total += channel.counts();
    return total;
  }

  void accept(DramTick now, std::size_t channel, std::uint64_t burst, bool write,
              std::uint64_t owner) {
    channels_[channel].accept(now, burst, write, owner);
    next_[channel] = channels_[channel].next();
  }
  /// The next tick at which a channel has something to do.
  [[nodiscard]] DramTick next() const { return *std::min_element(next_.begin(), next_.end()); }
  /// All that happens up to and at `now`.
  void advance(DramTick now) {
    for (DramTick tick = next(); tick <= now; tick = next()) {
      for (std::size_t c = 0; c < channels_.size(); ++c) {
        if (next_[c] > tick) continue;
        channels_[c].advance(tick);
        next_[c] = channels_[c].next();
      }
    }
  }
  /// Until nothing waits.
  void drain() {
    while (next() != kNoTick) advance(next());
  }

 private:
  AddressMap map_;
  std::vector<DramChannel> channels_;
  std::vector<DramTick> next_;
};

/// A burst, and the first tick at which it may enter its channel.
struct SourceBurst {
  DramTick at = 0;
  std::size_t channel = 0;
  std::uint64_t burst = 0;
  bool write = false;
  std::uint64_t owner = 0;
};

/// Gives the bursts to their channels in order, up to `per_tick` a tick, from tick 1 on. One that
/// finds its queue full holds up all behind it. `next(burst)` fills in the next one, or returns
/// false at the end. Returns the tick at which the last one was accepted.
template <typename Next>
DramTick feed_in_order(Channels& channels, Count per_tick, Next&& next) {
  SourceBurst burst;
  DramTick now = 0;
  for (bool more = next(burst); more;) {
    DramTick wake = std::max(now + 1, burst.at);
    const auto blocked = [&] { return !channels[burst.channel].can_accept(burst.write); };
    if (blocked()) wake = std::max(wake, channels.next());
    channels.advance(wake - 1);
    now = wake;
    for (Count left = per_tick; more && left > 0 && burst.at <= now && !blocked(); --left) {
      channels.accept(now, burst.channel, burst.burst, burst.write, burst.owner);
      more = next(burst);
    }
    channels.advance(now);
  }
  return now;
}

/// Channels by the lowest bits, then the burst's column, bank, row: burst_at() is the inverse.
inline void use_plain_map(DramParams& dram) {
  using Kind = DramAddressField::Kind;
  const auto& o = dram.organisation;
  const auto bits = [](Count count) { return static_cast<unsigned>(std::countr_zero(count)); };
  dram.map.interleave_bytes = o.burst_bytes();
  dram.map.channel_hash = false;
  dram.map.xors.clear();
  dram.map.fields = {{Kind::column, bits(o.row_bytes / o.burst_bytes())},
                     {Kind::bank, bits(o.banks)},
                     {Kind::bank_group, bits(o.bank_groups)},
                     {Kind::rank, bits(o.ranks)},
                     {Kind::pseudo_channel, bits(o.pseudo_channels)},
                     {Kind::row, 0}};
}
inline std::uint64_t burst_at(const DramParams& dram, std::uint64_t bank, std::uint64_t row,
                              std::uint64_t column = 0) {
  const auto& o = dram.organisation;
  return (row * o.banks_per_channel() + bank) * (o.row_bytes / o.burst_bytes()) + column;
}

}  // namespace tilewave::test
