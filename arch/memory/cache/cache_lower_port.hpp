// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "arch/memory/memory_link.hpp"
#include "sim/resources.hpp"

namespace tilewave {

/// What a cache sends below: fills and writes, each in order, one request a cycle. Fills go first,
/// but for two cases: the write queue is full, or the fill at the front is for a line of which a
/// write still waits (it must not be overtaken).
class CacheLowerPort {
 public:
  /// `fills`: most that can wait; the queue of writes refuses more than `writes`.
  CacheLowerPort(std::size_t fills, std::size_t writes, unsigned line_bits)
      : fills_(fills), writes_(writes), line_bits_(line_bits) {}

  [[nodiscard]] bool has_room(Count writes) const noexcept {
    return writes_.size() + writes <= writes_.depth();
  }
  /// `ready`: when it may leave; never earlier than that of the one before.
  void add_fill(const MemoryRequest& request, Cycle ready) {
    fills_.push({request, ready, last_write_to(request.address >> line_bits_)});
  }
  void add_write(const MemoryRequest& request, Cycle ready) { writes_.push({request, ready, 0}); }

  /// Sends at most one request, if none was sent in this cycle.
  void send(Cycle now, Pipe<MemoryRequest>& link) {
    held_back_ = false;
    if (now < free_from_) return;
    auto* const queue = choose(now);
    if (queue == nullptr) return;
    if (!link.can_push(now)) {
      held_back_ = true;
      return;
    }
    link.push(now, queue->front().request);
    queue->pop();
    if (queue == &writes_) ++writes_sent_;
    free_from_ = now + 1;
  }
  /// When the next request may leave, as far as the port is concerned.
  [[nodiscard]] Cycle next() const {
    Cycle ready = kNever;
    if (!fills_.empty() && !must_wait(fills_.front())) ready = fills_.front().ready;
    if (!writes_.empty()) ready = std::min(ready, writes_.front().ready);
    return ready == kNever ? kNever : std::max(ready, free_from_);
  }
  /// The link took nothing when last asked.
  [[nodiscard]] bool held_back() const noexcept { return held_back_; }
  [[nodiscard]] bool empty() const noexcept { return fills_.empty() && writes_.empty(); }

 private:
  struct Entry {
    MemoryRequest request;
    Cycle ready = 0;
    Count after_writes = 0;  // of a fill: goes only after so many writes
  };

  [[nodiscard]] bool must_wait(const Entry& fill) const noexcept {
    return fill.after_writes > writes_sent_;
  }
  BoundedQueue<Entry>* choose(Cycle now) {
    const bool write_ready = !writes_.empty() && writes_.front().ready <= now;
    const bool fill_ready = !fills_.empty() && fills_.front().ready <= now;
    if (write_ready && (!fill_ready || writes_.full() || must_wait(fills_.front()))) {
      return &writes_;
    }
    return fill_ready && !must_wait(fills_.front()) ? &fills_ : nullptr;
  }
  // Number of the last write that waits and is to this line; 0 if there is none.
  [[nodiscard]] Count last_write_to(std::uint64_t line) const {
    for (std::size_t i = writes_.size(); i > 0; --i) {
      if (writes_.at(i - 1).request.address >> line_bits_ == line) return writes_sent_ + i;
    }
    return 0;
  }

  BoundedQueue<Entry> fills_, writes_;
  unsigned line_bits_;
  Count writes_sent_ = 0;
  Cycle free_from_ = 0;
  bool held_back_ = false;
};

}  // namespace tilewave
