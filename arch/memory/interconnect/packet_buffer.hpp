// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/diagnostics.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// A request or response on its way.
struct Packet {
  Bytes bytes = 0;   ///< header and data
  Cycle cycles = 1;  ///< for which it occupies a link, >= 1
  Cycle since = 0;   ///< when it was sent into the network
  std::uint32_t destination = 0;
  std::uint32_t id = 0;  ///< of the sender
};

/// The buffer of one lane at the end of a link, with credits: in order, bounded, in packets. What is
/// sent at cycle x is seen at a later cycle, which the sender names; a place is the sender's again
/// when the packet's last byte has left and the credit has come back. One read port: a packet
/// occupies it for as long as it occupies a link. Allocates once.
class PacketBuffer {
 public:
  /// Requires depth >= 1 and credit_latency >= 1.
  PacketBuffer(std::size_t depth, Cycle credit_latency)
      : slots_(depth), credit_latency_(credit_latency) {}

  // The sender's side.
  [[nodiscard]] bool can_push(Cycle now) noexcept {
    while (held_ > queued_ && slots_[freed_].time <= now) {
      freed_ = after(freed_);
      --held_;
    }
    return held_ < slots_.size();
  }
  /// can_push(now) must hold.
  void push(const Packet& packet, Cycle visible) {
    if (held_ == slots_.size()) throw SimulationError("interconnect: an input buffer overflows");
    slots_[tail_] = {packet, visible};
    tail_ = after(tail_);
    ++held_;
    ++queued_;
    queued_bytes_ += packet.bytes;
  }
  /// When the next place comes back; kNever if that is not known yet, as no packet has left.
  [[nodiscard]] Cycle next_credit() const noexcept {
    return held_ > queued_ ? slots_[freed_].time : kNever;
  }

  // The receiver's side.
  /// From when on the oldest packet can go; kNever if there is none.
  [[nodiscard]] Cycle ready_at() const noexcept {
    return queued_ == 0 ? kNever : std::max(slots_[head_].time, free_from_);
  }
  /// The oldest packet; ready_at() must not be kNever.
  [[nodiscard]] const Packet& front() const noexcept { return slots_[head_].packet; }
  /// The oldest packet leaves during [now, now + cycles), and the credit comes back at the cycle
  /// returned. Requires ready_at() <= now.
  Cycle pop(Cycle now, Cycle cycles) noexcept {
    Slot& slot = slots_[head_];
    free_from_ = now + cycles;
    slot.time = now + cycles - 1 + credit_latency_;
    queued_bytes_ -= slot.packet.bytes;
    --queued_;
    head_ = after(head_);
    return slot.time;
  }

  /// Packets that have not begun to leave.
  [[nodiscard]] std::size_t queued() const noexcept { return queued_; }
  [[nodiscard]] Bytes queued_bytes() const noexcept { return queued_bytes_; }
  /// Places taken, as the sender saw it last.
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  [[nodiscard]] std::size_t depth() const noexcept { return slots_.size(); }

 private:
  struct Slot {
    Packet packet;
    Cycle time = 0;  ///< visible from; once it has left: credit back at
  };
  [[nodiscard]] std::uint32_t after(std::uint32_t i) const noexcept {
    return i + 1 == slots_.size() ? 0 : i + 1;
  }

  // A ring: [freed_, head_) have left and their credits are on the way, [head_, tail_) are queued.
  std::vector<Slot> slots_;
  Cycle credit_latency_;
  std::uint32_t freed_ = 0, head_ = 0, tail_ = 0;
  std::uint32_t held_ = 0, queued_ = 0;
  Bytes queued_bytes_ = 0;
  Cycle free_from_ = 0;
};

}  // namespace tilewave
