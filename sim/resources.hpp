// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// A link or channel that moves bytes at a fixed rate, one transfer at a time, in order of arrival.
/// Modelled: occupancy and queueing. Not modelled: arbitration (the caller's), bursts, turnaround.
/// Timing: begin = max(now, end of the last transfer), end = begin + bytes / bandwidth.
class BandwidthServer {
 public:
  struct Transfer {
    Femtoseconds begin, end;
  };
  explicit BandwidthServer(Bandwidth bandwidth) : bandwidth_(bandwidth) {}

  Transfer serve(Femtoseconds now, Bytes bytes) {
    const Femtoseconds begin = std::max(now, free_at_);
    free_at_ = begin + bandwidth_.occupancy(bytes);
    busy_ = busy_ + Femtoseconds{free_at_.value - begin.value};
    bytes_ += bytes;
    return {begin, free_at_};
  }
  [[nodiscard]] Femtoseconds busy() const noexcept { return busy_; }
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

 private:
  Bandwidth bandwidth_;
  Femtoseconds free_at_{}, busy_{};
  Bytes bytes_ = 0;
};

/// A port or pipeline that one activity at a time occupies for a number of cycles.
class Port {
 public:
  [[nodiscard]] bool free_at(Cycle now) const noexcept { return now >= free_from_; }
  [[nodiscard]] Cycle free_from() const noexcept { return free_from_; }
  void occupy(Cycle now, Cycle cycles) noexcept {
    free_from_ = now + cycles;
    busy_cycles_ += cycles;
  }
  [[nodiscard]] Cycle busy_cycles() const noexcept { return busy_cycles_; }

 private:
  Cycle free_from_ = 0, busy_cycles_ = 0;
};

/// First-in first-out queue of bounded depth; allocates once.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t depth) : items_(depth) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == items_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t depth() const noexcept { return items_.size(); }

  /// i-th item from the front.
  [[nodiscard]] T& at(std::size_t i) { return items_[place(i)]; }
  [[nodiscard]] const T& at(std::size_t i) const { return items_[place(i)]; }
  [[nodiscard]] T& front() { return at(0); }
  [[nodiscard]] const T& front() const { return at(0); }

  /// The new last item, to be filled in place (keeps what its last user left in it).
  T& push_slot() {
    if (full()) throw std::logic_error("BoundedQueue: push into a full queue");
    ++size_;
    return at(size_ - 1);
  }
  void push(T item) { push_slot() = std::move(item); }
  void pop() {
    if (empty()) throw std::logic_error("BoundedQueue: pop from an empty queue");
    head_ = place(1);
    --size_;
  }

 private:
  // No division: this is in the inner loops.
  [[nodiscard]] std::size_t place(std::size_t i) const noexcept {
    const std::size_t at = head_ + i;
    return at < items_.size() ? at : at - items_.size();
  }
  std::vector<T> items_;
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace tilewave
