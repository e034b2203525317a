// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/hierarchy/request_splitter.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sim/diagnostics.hpp"

namespace tilewave {

RequestSplitter::RequestSplitter(MemoryLink& below, const Params& params,
                                 std::function<Cycle()> clock)
    : below_(below),
      params_(params),
      clock_(std::move(clock)),
      requests_(params.requests, 1),
      held_(params.requests) {
  free_.reserve(held_.size());
  for (std::size_t i = held_.size(); i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
}

bool RequestSplitter::can_send() const {
  const Cycle now = clock_();
  if (requests_.can_push(now)) return true;
  if (requests_.size() < requests_.depth()) client_->on_ready(now + 1);
  return false;
}

bool RequestSplitter::send(const MemoryRequest& request) {
  if (request.bytes == 0) throw SimulationError("l2: a request of no bytes");
  const Cycle now = clock_();
  requests_.push(now, request);
  wake_(now + 1);
  return false;
}

Cycle RequestSplitter::step(Cycle now) {
  receive(now);
  cut(now);
  const bool may_cut = rest_.bytes > 0 || (!requests_.empty() && !free_.empty());
  if (!may_cut || held_back_) return kNever;
  const Cycle seen = rest_.bytes > 0 ? now : requests_.next_visible();
  return std::max({seen, cut_free_, now + 1});
}

void RequestSplitter::receive(Cycle now) {
  while (below_.responses.can_pop(now)) {
    const MemoryResponse response = below_.responses.front();
    below_.responses.pop(now);
    const auto place = static_cast<std::uint32_t>(response.tag);
    Held& held = held_.at(place);
    if (response.bytes > held.unanswered || response.write != held.request.write) {
      throw SimulationError("l2: an answer to a request that was not sent");
    }
    held.unanswered -= response.bytes;
    held.done = std::max(held.done, now + params_.placement.extra_cycles(
                                              params_.partition, response.tag >> kSliceShift));
    if (held.unanswered > 0) continue;
    ++answered_;
    (held.request.write ? write_bytes_ : read_bytes_) += held.request.bytes;
    free_.push_back(place);
    client_->on_response(held.request.tag, held.done + 1);
  }
}

void RequestSplitter::cut(Cycle now) {
  held_back_ = false;
  if (now < cut_free_) return;
  if (rest_.bytes == 0) {
    if (free_.empty() || !requests_.can_pop(now)) return;
    const bool was_full = requests_.size() == requests_.depth();
    rest_ = requests_.front();
    requests_.pop(now);
    if (was_full) client_->on_ready(now + 1);
    cutting_ = free_.back();
    free_.pop_back();
    held_[cutting_] = {.request = rest_, .unanswered = rest_.bytes, .done = 0};
    ++accepted_;
  }
  if (!below_.requests.can_push(now)) {
    held_back_ = true;
    return;
  }
  MemoryRequest chunk = rest_;
  chunk.bytes = std::min(rest_.bytes, params_.chunk_bytes - rest_.address % params_.chunk_bytes);
  chunk.tag = params_.slices.slice_of(chunk.address) << kSliceShift | cutting_;
  below_.requests.push(now, chunk);
  ++chunks_;
  rest_.address += chunk.bytes;
  rest_.bytes -= chunk.bytes;
  cut_free_ = now + 1;
}

std::string RequestSplitter::describe() const {
  return fmt::format("{} requests wait, {} of {} under way", requests_.size(),
                     held_.size() - free_.size(), held_.size());
}

}  // namespace tilewave
