// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/steady_waves.hpp"

#include <algorithm>

namespace tilewave {

namespace {

/// Waves at the start that say nothing of those to come, and waves at the end that are simulated again.
constexpr std::size_t kColdWaves = 2;
constexpr Count kWavesToEnd = 2;
/// The most that two stretches of waves may differ by.
constexpr double kSteady = 0.005;

}  // namespace

void SteadyWaves::begin(const CtaPlan& plan, Count wave) {
  waves_.clear();
  const auto& kernel = plan.kernel();
  const Count group =
      std::min(kernel.cta.raster_rows, kernel.kernel.grid[1]) * kernel.kernel.grid[0];
  period_ = std::max<std::size_t>(1, ceil_div(group, wave));
  // CTAs that fetch ahead are given their first blocks at once.
  cold_ = kColdWaves + ceil_div(plan.stages(), plan.slabs());
}

std::optional<SteadyWaves::Skip> SteadyWaves::at_wave(const Sums& sums, Count left) {
  waves_.push_back(sums);
  const std::size_t n = waves_.size();
  if (n < cold_ + 2 * period_ + 1 || left <= kWavesToEnd + period_) return std::nullopt;
  const Sums& from = waves_[n - 1 - period_];
  const Cycle last = sums.start - from.start;
  const Cycle before = from.start - waves_[n - 1 - 2 * period_].start;
  const Cycle difference = std::max(last, before) - std::min(last, before);
  if (static_cast<double>(difference) > kSteady * static_cast<double>(last)) return std::nullopt;
  const Count times = (left - kWavesToEnd) / period_;
  Skip skip{.waves = times * period_,
            .cycles = times * last,
            .sms = sums.sms.since(from.sms, times),
            .memory = times * (sums.memory - from.memory),
            .dram_busy_cycles =
                static_cast<double>(times) * (sums.dram_busy_cycles - from.dram_busy_cycles)};
  waves_.clear();
  return skip;
}

}  // namespace tilewave
