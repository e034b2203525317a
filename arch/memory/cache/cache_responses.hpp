// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "arch/memory/cache/cache_params.hpp"
#include "arch/memory/memory_link.hpp"
#include "sim/resources.hpp"

namespace tilewave {

/// The requests under way in a cache and the port through which they are answered. Responses leave
/// in the order in which they are ready (then of arrival), at most `ports` a cycle and with the
/// data of at most bytes_per_cycle() a cycle; data stream out as they become ready, so that a
/// response alone leaves the cycle it is ready. Bounded; allocates once.
class CacheResponses {
 public:
  using Slot = std::uint32_t;

  CacheResponses(std::size_t slots, const CacheParams& p)
      : requests_(slots),
        hits_(slots),
        fills_(slots),
        ports_(p.ports),
        width_(p.bytes_per_cycle()) {
    free_.reserve(slots);
    for (std::size_t i = slots; i > 0; --i) free_.push_back(static_cast<Slot>(i - 1));
  }

  [[nodiscard]] bool full() const noexcept { return free_.empty(); }
  [[nodiscard]] std::size_t used() const noexcept { return requests_.size() - free_.size(); }
  [[nodiscard]] Bytes bytes_under_way() const noexcept { return bytes_; }

  /// Takes a request; must not be full. It has one part: that more may be added.
  Slot open(const MemoryRequest& request) {
    const Slot slot = free_.back();
    free_.pop_back();
    requests_[slot] = {{request.tag, request.bytes, request.write}, 1, 0, order_++};
    bytes_ += request.bytes;
    return slot;
  }
  void add_part(Slot slot) { ++requests_[slot].parts; }
  void not_before(Slot slot, Cycle ready) {
    requests_[slot].ready = std::max(requests_[slot].ready, ready);
  }
  /// A part is served at cycle `ready`, by a look-up or by something from below; with the last one
  /// the response is due.
  void serve_by_look_up(Slot slot, Cycle ready) { serve(slot, ready, hits_); }
  void serve_from_below(Slot slot, Cycle ready) { serve(slot, ready, fills_); }

  /// Sends what is due; sent(response) for each.
  template <typename Sent>
  void send(Cycle now, Pipe<MemoryResponse>& link, Sent&& sent) {
    if (now > sent_at_) {
      sent_at_ = now;
      sent_count_ = 0;
    }
    while (sent_count_ < ports_) {
      BoundedQueue<Ready>* const queue = first();
      if (queue == nullptr) return;
      const Cycle earliest = may_leave(queue->front());
      if (earliest > now || !link.can_push(now)) return;
      // What passes between is lost to the port if it is idle or the link holds it back.
      const Cycle data_from = earliest < now ? now : queue->front().ready;
      const Slot slot = queue->front().slot;
      queue->pop();
      const MemoryResponse& response = requests_[slot].response;
      const Bytes data = data_of(response);
      moved_bytes_ =
          std::max(moved_bytes_ + data, (data_from - 1) * width_ + std::min(data, width_));
      ++sent_count_;
      link.push(now, response);
      bytes_ -= response.bytes;
      free_.push_back(slot);
      sent(response);
    }
  }
  /// When the next response can leave, as far as the port is concerned; kNever if none is ready.
  [[nodiscard]] Cycle next(Cycle now) const {
    const BoundedQueue<Ready>* const queue = first();
    if (queue == nullptr) return kNever;
    const Cycle port = sent_count_ >= ports_ ? sent_at_ + 1 : 0;
    return std::max({may_leave(queue->front()), port, now});
  }

 private:
  struct Request {
    MemoryResponse response;
    Count parts = 0;
    Cycle ready = 0;
    std::uint64_t order = 0;
  };
  struct Ready {
    Cycle ready;
    std::uint64_t order;
    Slot slot;
  };
  static bool later(const Ready& a, const Ready& b) noexcept {
    return a.ready != b.ready ? a.ready > b.ready : a.order > b.order;
  }
  void serve(Slot slot, Cycle ready, BoundedQueue<Ready>& queue) {
    not_before(slot, ready);
    Request& r = requests_[slot];
    if (--r.parts > 0) return;
    queue.push({r.ready, r.order, slot});
    // Mostly in order as they come.
    for (std::size_t i = queue.size() - 1; i > 0 && later(queue.at(i - 1), queue.at(i)); --i) {
      std::swap(queue.at(i - 1), queue.at(i));
    }
  }
  // The queue whose front leaves next; null if both are empty.
  [[nodiscard]] const BoundedQueue<Ready>* first() const {
    if (hits_.empty()) return fills_.empty() ? nullptr : &fills_;
    return fills_.empty() || later(fills_.front(), hits_.front()) ? &hits_ : &fills_;
  }
  [[nodiscard]] BoundedQueue<Ready>* first() {
    return const_cast<BoundedQueue<Ready>*>(std::as_const(*this).first());
  }
  [[nodiscard]] static Bytes data_of(const MemoryResponse& response) noexcept {
    return response.write ? 0 : response.bytes;
  }
  /// The port has moved moved_bytes_ by now, had it never been idle.
  [[nodiscard]] Cycle may_leave(const Ready& r) const {
    const Bytes moved = moved_bytes_ + data_of(requests_[r.slot].response);
    return moved <= r.ready * width_ ? r.ready : ceil_div(moved, width_);
  }

  std::vector<Request> requests_;
  std::vector<Slot> free_;
  BoundedQueue<Ready> hits_, fills_;  // what is due, earliest first, by what served it last
  std::uint64_t order_ = 0;
  Count ports_, sent_count_ = 0;
  Cycle sent_at_ = 0;
  Bytes width_, moved_bytes_ = 0, bytes_ = 0;
};

}  // namespace tilewave
