// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/units.hpp"

namespace tilewave {

/// Between the chips of a machine: a ring, in which each chip has a link to the next.
struct LinkParams {
  Bandwidth bandwidth{};  ///< of a link, in one direction
  double latency_ns = 0;  ///< from the end of a transfer to its arrival
  Count directions = 1;   ///< 2: half of the bytes go around the other way
  /// Of what a chip sends, and as much what it receives.
  [[nodiscard]] Bandwidth ring_bandwidth() const {
    return Bandwidth::from_gb_per_s(bandwidth.gb_per_s() * static_cast<double>(directions));
  }
};

}  // namespace tilewave
