// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/program/program.hpp"
#include "sim/events.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Tells listeners of a trace what CTAs did: a slice of each on the track of its SM ("SM 3"), named by
/// its kernel and block. A persistent CTA is one slice. Waves that are not simulated are one slice on the
/// track "SMs"; CTAs under way then are those that would be under way after them.
class CtaTrace {
 public:
  CtaTrace(const EventBus* events, std::size_t sms)
      : events_(events != nullptr && events->has_listeners() ? events : nullptr), running_(sms) {}

  void begin(std::size_t sm, Count block, Cycle at) {
    if (events_ != nullptr) running_[sm].push_back({block, block, at});
  }
  /// Requires that it began with `block`.
  void end(std::size_t sm, Count block, Cycle at, const program::Kernel& kernel);
  void skip(Count blocks, Cycle from, Cycle cycles, const program::Kernel& kernel);

 private:
  struct Running {
    Count block;  ///< by which the SM knows it
    Count shown;
    Cycle since;
  };
  const EventBus* events_;
  std::vector<std::vector<Running>> running_;  // of each SM
};

}  // namespace tilewave
