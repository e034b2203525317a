// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>

#include "sim/clock_domain.hpp"
#include "sim/timeline.hpp"

namespace tilewave {

/// Measures what a memory or link moves, when it moves it: the memory says when each transfer
/// occupies its channel, the meter says how many bytes went over in a stretch of time. So no
/// bandwidth comes out above the peak because a transfer began in one stretch and ended in the
/// next. Lanes are links of their own (the two directions of a duplex link).
class LinkMeter {
 public:
  explicit LinkMeter(ClockDomain clock) : clock_(clock) {}
  /// Also enters the bytes into a timeline.
  void record_in(Timeline& timeline, std::size_t channel) {
    timeline_ = &timeline;
    channel_ = channel;
  }

  /// A transfer occupies `lane` during [begin, end); transfers of a lane come in order.
  void add(std::size_t lane, Bytes bytes, Femtoseconds begin, Femtoseconds end);
  /// Bytes moved since the last call, up to the start of cycle `now`.
  [[nodiscard]] Bytes take_until(Cycle now);
  /// No transfer is under way or still to be taken.
  [[nodiscard]] bool idle() const noexcept { return lanes_[0].empty() && lanes_[1].empty(); }
  /// Up to when bytes were taken: a transfer that is added later must not have begun before.
  [[nodiscard]] Femtoseconds taken_until() const noexcept { return taken_until_; }

 private:
  struct Transfer {
    Femtoseconds begin, end;
    Bytes bytes, taken;
  };
  ClockDomain clock_;
  Femtoseconds taken_until_{};
  std::array<std::deque<Transfer>, 2> lanes_;
  Timeline* timeline_ = nullptr;
  std::size_t channel_ = 0;
};

}  // namespace tilewave
