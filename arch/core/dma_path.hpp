// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "sim/units.hpp"

namespace tilewave {

/// One direction of the path between a core and the memory outside: so many bytes a cycle, for all
/// its engines together. Requests are sent no faster than their bytes could pass. Not modelled: that
/// what memory returns in a burst queues up at the path, so a burst may pass it faster for a moment.
class DmaPath {
 public:
  /// 0: as wide as asked.
  explicit DmaPath(Bytes bytes_per_cycle) : width_(bytes_per_cycle) {}

  [[nodiscard]] bool free_at(Cycle now) const { return width_ == 0 || taken_ < (now + 1) * width_; }
  void take(Cycle now, Bytes bytes) {
    if (width_ > 0) taken_ = std::max(taken_, now * width_) + bytes;
  }
  /// First cycle in which it is free.
  [[nodiscard]] Cycle free_from() const { return width_ == 0 ? 0 : taken_ / width_; }

 private:
  Bytes width_;
  Count taken_ = 0;  // in 1 / width of a cycle
};

}  // namespace tilewave
