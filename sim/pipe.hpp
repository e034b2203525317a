// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sim/resources.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// A registered queue between two units of one clock: what is pushed at cycle x is seen by the
/// receiver from x + latency on, and the place of what is popped at cycle x is seen by the sender
/// from x + 1 on. So it does not matter which of the two runs first in a cycle. Bounded; allocates
/// once. Not modelled: bandwidth (the units push and pop as often as their ports allow).
template <typename T>
class Pipe {
 public:
  /// Requires depth >= 1 and latency >= 1.
  Pipe(std::size_t depth, Cycle latency) : items_(depth), latency_(latency) {}

  [[nodiscard]] bool can_push(Cycle now) noexcept {
    return items_.size() + uncredited(now) < items_.depth();
  }
  void push(Cycle now, const T& item) {
    auto& entry = items_.push_slot();
    entry.item = item;
    entry.visible = now + latency_;
  }
  [[nodiscard]] bool can_pop(Cycle now) const { return !items_.empty() && next_visible() <= now; }
  /// The oldest item; can_pop() must hold.
  [[nodiscard]] T& front() { return items_.front().item; }
  void pop(Cycle now) {
    (void)uncredited(now);
    items_.pop();
    ++popped_;
  }
  /// When the oldest item is or was visible; kNever if there is none.
  [[nodiscard]] Cycle next_visible() const {
    return items_.empty() ? kNever : items_.front().visible;
  }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] std::size_t depth() const noexcept { return items_.depth(); }

 private:
  struct Entry {
    T item;
    Cycle visible;
  };
  // Places given back in this very cycle, which the sender does not see yet.
  std::size_t uncredited(Cycle now) noexcept {
    if (now > popped_at_) {
      popped_at_ = now;
      popped_ = 0;
    }
    return popped_;
  }

  BoundedQueue<Entry> items_;
  Cycle latency_;
  Cycle popped_at_ = 0;
  std::size_t popped_ = 0;
};

}  // namespace tilewave
