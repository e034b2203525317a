// SPDX-License-Identifier: Apache-2.0
// The two ends of a chain of memory units: a client that sends a list of requests, a memory that
// answers, and a loop that steps all of them in any order.
#pragma once

#include <algorithm>
#include <deque>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/memory/memory_link.hpp"

namespace tilewave::test {

/// Cycles in which an end of a link takes nothing, so many in a hundred: a function of the cycle, so
/// that it does not matter how often one asks.
class Refusal {
 public:
  Refusal(unsigned percent, std::uint64_t seed) : percent_(percent), seed_(seed) {}
  [[nodiscard]] bool refuses(Cycle now) const {
    if (percent_ == 0) return false;
    std::uint64_t x = (seed_ << 40U) + now;  // splitmix64
    x = (x ^ (x >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return (x >> 32U) % 100 < percent_;
  }

 private:
  unsigned percent_;
  std::uint64_t seed_;
};

struct LinkMemoryParams {
  Cycle latency_cycles = 1;
  Bytes bytes_per_cycle = 0;  ///< one request at a time; 0: as many as come
  std::size_t depth = 1 << 16;
  unsigned refuse_percent = 0;
  std::uint64_t seed = 0;
};

/// Answers each request, in order. Timing: a request seen at y is transferred from max(y, end of the
/// last transfer) on, and its response leaves latency_cycles after the last cycle of its transfer
/// began.
class LinkMemory final : public MemoryUnit {
 public:
  struct Seen {
    Cycle cycle;
    MemoryRequest request;
  };
  LinkMemory(MemoryLink& link, const LinkMemoryParams& params)
      : link_(link), params_(params), refusal_(params.refuse_percent, params.seed) {}

  Cycle step(Cycle now) override {
    while (!due_.empty() && due_.front().first <= now && link_.responses.can_push(now)) {
      link_.responses.push(now, due_.front().second);
      due_.pop_front();
    }
    const bool refuses = refusal_.refuses(now);
    while (!refuses && due_.size() < params_.depth && link_.requests.can_pop(now)) {
      const MemoryRequest request = link_.requests.front();
      link_.requests.pop(now);
      seen.push_back({now, request});
      Cycle last = now;
      if (params_.bytes_per_cycle > 0) {
        const Cycle begin = std::max(now, free_from_);
        free_from_ = begin + ceil_div(request.bytes, params_.bytes_per_cycle);
        last = free_from_ - 1;
      }
      due_.push_back({last + params_.latency_cycles, {request.tag, request.bytes, request.write}});
    }
    Cycle next = due_.empty() ? kNever : std::max(due_.front().first, now + 1);
    if (!link_.requests.empty()) {
      next = std::min(next, std::max(link_.requests.next_visible(), now + 1));
    }
    return next;
  }
  [[nodiscard]] bool idle() const override { return due_.empty() && link_.requests.empty(); }

  std::vector<Seen> seen;  ///< all requests

 private:
  MemoryLink& link_;
  LinkMemoryParams params_;
  Refusal refusal_;
  std::deque<std::pair<Cycle, MemoryResponse>> due_;
  Cycle free_from_ = 0;
};

struct LinkClientParams {
  Count window = 1;     ///< requests sent from the oldest one unanswered on, itself included
  Count per_cycle = 1;  ///< sent
  unsigned refuse_percent = 0;
  std::uint64_t seed = 0;
};

/// Sends requests in order; their tags are their numbers.
class LinkClient final : public MemoryUnit {
 public:
  LinkClient(MemoryLink& link, const LinkClientParams& params, std::vector<MemoryRequest> list)
      : link_(link), params_(params), refusal_(params.refuse_percent, params.seed) {
    add(std::move(list));
  }
  void add(std::vector<MemoryRequest> more) {
    for (MemoryRequest& request : more) {
      request.tag = requests.size();
      requests.push_back(request);
    }
    sent.resize(requests.size(), kNever);
    answered.resize(requests.size(), kNever);
  }

  Cycle step(Cycle now) override {
    while (!refusal_.refuses(now) && link_.responses.can_pop(now)) {
      const MemoryResponse r = link_.responses.front();
      link_.responses.pop(now);
      if (r.tag >= next_ || answered[r.tag] != kNever || r.bytes != requests[r.tag].bytes ||
          r.write != requests[r.tag].write) {
        throw std::logic_error("LinkClient: a response that nobody waits for");
      }
      answered[r.tag] = now;
      while (oldest_ < next_ && answered[oldest_] != kNever) ++oldest_;
    }
    if (now != sent_at_) {
      sent_at_ = now;
      sent_now_ = 0;
    }
    while (next_ < requests.size() && next_ < oldest_ + params_.window &&
           sent_now_ < params_.per_cycle && link_.requests.can_push(now)) {
      link_.requests.push(now, requests[next_]);
      sent[next_++] = now;
      ++sent_now_;
    }
    const bool may_send = next_ < requests.size() && next_ < oldest_ + params_.window;
    Cycle next = may_send ? now + 1 : kNever;
    if (!link_.responses.empty()) {
      next = std::min(next, std::max(link_.responses.next_visible(), now + 1));
    }
    return next;
  }
  [[nodiscard]] bool idle() const override { return oldest_ == requests.size(); }

  std::vector<MemoryRequest> requests;
  std::vector<Cycle> sent, answered;  ///< by number: pushed, popped

 private:
  MemoryLink& link_;
  LinkClientParams params_;
  Refusal refusal_;
  std::size_t next_ = 0, oldest_ = 0;
  Cycle sent_at_ = kNever;
  Count sent_now_ = 0;
};

enum class Stepping {
  events,       ///< in the cycles that units ask for
  every_cycle,  ///< in all cycles
  shuffled      ///< in all cycles, in random order, some units several times
};

/// Steps the units until all are idle; the cycle after the last one. Throws std::runtime_error if
/// nothing is due or `limit` is reached. Stepping by events relies on what units return and nothing
/// else: each is stepped a second time in a cycle, so that what others sent in it is known to it.
inline Cycle run_units(const std::vector<MemoryUnit*>& units, Cycle now = 1,
                       Stepping stepping = Stepping::events, std::uint64_t seed = 0,
                       Cycle limit = 10'000'000) {
  std::mt19937_64 random(seed);
  std::vector<MemoryUnit*> order = units;
  for (; now < limit; ++now) {
    if (stepping == Stepping::shuffled) {
      order = units;
      while (random() % 2 == 0) order.push_back(units[random() % units.size()]);
      std::shuffle(order.begin(), order.end(), random);
    }
    for (MemoryUnit* unit : order) unit->step(now);
    if (std::all_of(units.begin(), units.end(), [](const auto* u) { return u->idle(); })) {
      return now + 1;
    }
    if (stepping != Stepping::events) continue;
    Cycle next = kNever;
    for (MemoryUnit* unit : units) next = std::min(next, unit->step(now));
    if (next == kNever) throw std::runtime_error("run_units: nothing is due, not all are idle");
    if (next <= now) throw std::runtime_error("run_units: a unit asks for a cycle that has passed");
    now = next - 1;
  }
  throw std::runtime_error("run_units: limit reached");
}

}  // namespace tilewave::test
