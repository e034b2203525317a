// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// What the model tells those who watch. The model never prints; timelines, traces and tests
/// listen.
class EventListener {
 public:
  virtual ~EventListener() = default;
  /// A unit ("core0.matrix0", "core0.dma.weights") did `name` during [begin, end).
  virtual void slice(std::string_view track, std::string_view name, int layer, Cycle begin,
                     Cycle end) = 0;
};

/// Hands events to every listener; costs one branch when nobody listens.
class EventBus {
 public:
  void attach(EventListener& listener) { listeners_.push_back(&listener); }
  [[nodiscard]] bool has_listeners() const noexcept { return !listeners_.empty(); }
  void slice(std::string_view track, std::string_view name, int layer, Cycle begin,
             Cycle end) const {
    for (auto* listener : listeners_) listener->slice(track, name, layer, begin, end);
  }

 private:
  std::vector<EventListener*> listeners_;
};

}  // namespace tilewave
