// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "sim/units.hpp"

namespace tilewave {

/// What one of several chips did; all do the same at the same time.
struct OneChip {
  Count chips = 1;
  Count macs = 0, flops = 0;
  Bytes link_bytes = 0;
  double energy_j = 0, time_s = 0, peak_tflops = 0;
};
/// What all did together. Everything else in a report is of one chip.
[[nodiscard]] nlohmann::json all_chips_json(const OneChip& one);

}  // namespace tilewave
