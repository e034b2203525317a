// SPDX-License-Identifier: Apache-2.0
#include "app/report/all_chips_json.hpp"

namespace tilewave {

nlohmann::json all_chips_json(const OneChip& one) {
  const auto n = static_cast<double>(one.chips);
  const auto per_s = [&](double what) { return one.time_s > 0 ? n * what / one.time_s : 0.0; };
  return {{"chips", one.chips},
          {"macs", one.chips * one.macs},
          {"flops", one.chips * one.flops},
          {"achieved_tflops", per_s(static_cast<double>(one.flops) * 1e-12)},
          {"peak_tflops", n * one.peak_tflops},
          {"link_bytes", one.chips * one.link_bytes},
          {"energy_j", n * one.energy_j},
          {"average_power_w", per_s(one.energy_j)}};
}

}  // namespace tilewave
