// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/hierarchy/memory_funnel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sim/diagnostics.hpp"

namespace tilewave {

MemoryFunnel::MemoryFunnel(std::vector<MemoryLink*> links, MemoryPort& port, const Params& params)
    : links_(std::move(links)),
      port_(port),
      params_(params),
      parts_(params.outstanding),
      free_parts_(params.outstanding),
      answers_(links_.size()) {
  for (std::uint32_t i = 0; i < parts_.size(); ++i) parts_[i].next = std::exchange(free_, i);
  arrivals_.reserve(parts_.size());
}

void MemoryFunnel::on_response(std::uint64_t tag, Cycle visible) {
  arrivals_.push_back({static_cast<std::uint32_t>(tag), visible});
  wake_(visible);
}

void MemoryFunnel::on_ready(Cycle visible) {
  ready_at_ = visible;
  wake_(visible);
}

Cycle MemoryFunnel::step(Cycle now) {
  take_arrivals(now);
  const bool answers_left = give_answers(now);
  send(now);
  Cycle next = answers_left ? now + 1 : kNever;
  for (const Arrival& arrival : arrivals_) next = std::min(next, arrival.visible);
  if (ready_at_ > now) next = std::min(next, ready_at_);
  return next;
}

// Those that are visible get into the lists of their links, in the order in which they came.
void MemoryFunnel::take_arrivals(Cycle now) {
  std::size_t kept = 0;
  for (const Arrival& arrival : arrivals_) {
    if (arrival.visible > now) {
      arrivals_[kept++] = arrival;
      continue;
    }
    for (std::uint32_t i = arrival.first; i != kNone;) {
      Part& part = parts_.at(i);
      (part.request.write ? write_bytes_ : read_bytes_) += part.request.bytes;
      Answers& answers = answers_[part.link];
      (answers.first == kNone ? answers.first : parts_[answers.last].next) = i;
      answers.last = i;
      ++waiting_answers_;
      i = std::exchange(part.next, kNone);
    }
  }
  arrivals_.resize(kept);
}

// True if some are left, because their links take no more.
bool MemoryFunnel::give_answers(Cycle now) {
  for (std::size_t link = 0; waiting_answers_ > 0 && link < links_.size(); ++link) {
    Answers& answers = answers_[link];
    while (answers.first != kNone && links_[link]->responses.can_push(now)) {
      Part& part = parts_[answers.first];
      links_[link]->responses.push(
          now, {.tag = part.request.tag, .bytes = part.request.bytes, .write = part.request.write});
      const std::uint32_t after = part.next;
      part.next = std::exchange(free_, answers.first);
      answers.first = after;
      ++free_parts_;
      --waiting_answers_;
    }
  }
  return waiting_answers_ > 0;
}

void MemoryFunnel::send(Cycle now) {
  held_back_ = false;
  for (std::size_t idle = 0; idle < links_.size();) {
    const std::size_t link = next_link_;
    if (!links_[link]->requests.can_pop(now)) {
      next_link_ = link + 1 == links_.size() ? 0 : link + 1;
      ++idle;
      continue;
    }
    if (!send_from(now, link)) return;
    next_link_ = link + 1 == links_.size() ? 0 : link + 1;
    idle = 0;
  }
}

// Sends the front of this link's queue, with what is next to it; false if it cannot.
bool MemoryFunnel::send_from(Cycle now, std::size_t link) {
  if (free_parts_ == 0 || !port_free(now)) {
    held_back_ = true;
    return false;
  }
  const std::uint32_t first = take_part(now, link);
  std::uint32_t last = first;
  MemoryRequest whole = parts_[first].request;
  auto& queue = links_[link]->requests;
  while (free_parts_ > 0 && queue.can_pop(now)) {
    const MemoryRequest& next = queue.front();
    if (next.write != whole.write || next.hint != whole.hint ||
        next.address != whole.address + whole.bytes ||
        whole.bytes + next.bytes > params_.merged_bytes) {
      break;
    }
    whole.bytes += next.bytes;
    last = parts_[last].next = take_part(now, link);
  }
  whole.tag = first;
  ++sent_;
  if (port_.send(whole)) on_response(first, now + 1);  // served: seen as any other answer
  return true;
}

std::uint32_t MemoryFunnel::take_part(Cycle now, std::size_t link) {
  const std::uint32_t index = free_;
  Part& part = parts_[index];
  free_ = std::exchange(part.next, kNone);
  --free_parts_;
  auto& queue = links_[link]->requests;
  part.request = queue.front();
  part.link = static_cast<std::uint32_t>(link);
  queue.pop(now);
  return index;
}

bool MemoryFunnel::idle() const {
  return free_parts_ == parts_.size() &&
         std::all_of(links_.begin(), links_.end(), [](const MemoryLink* link) {
           return link->requests.empty() && link->responses.empty();
         });
}

std::string MemoryFunnel::describe() const {
  return fmt::format("{} of {} requests of slices unanswered{}", outstanding(), parts_.size(),
                     held_back_ ? ", the memory takes no more" : "");
}

}  // namespace tilewave
