// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/steady_waves.hpp"

#include <algorithm>
#include <cmath>

namespace tilewave {

namespace {

/// Waves at the start that say nothing of those to come, and waves at the end that are simulated again.
constexpr std::size_t kColdWaves = 2;
constexpr Count kWavesToEnd = 2;
/// The most that the paces of two stretches of waves may differ by, as a share.
constexpr double kSteady = 0.003;
/// How far CTAs have drifted apart at the end may differ by a tenth of a wave: 0.5 % of this many.
constexpr Count kFewestWaves = 20;

}  // namespace

void SteadyWaves::begin(const CtaPlan& plan, Count wave) {
  waves_.clear();
  wave_ = wave;
  slabs_ = plan.slabs();
  const auto& kernel = plan.kernel();
  few_ = kernel.kernel.blocks() < kFewestWaves * wave;
  const Count group =
      std::min(kernel.cta.raster_rows, kernel.kernel.grid[1]) * kernel.kernel.grid[0];
  period_ = std::max<std::size_t>(1, ceil_div(group, wave));
  // CTAs that fetch ahead are given their first blocks at once.
  cold_ = kColdWaves + ceil_div(plan.stages(), plan.slabs());
}

std::optional<SteadyWaves::Skip> SteadyWaves::at_wave(const Sums& sums, Count left) {
  waves_.push_back(sums);
  const std::size_t n = waves_.size();
  if (few_ || n < cold_ + 2 * period_ + 1 || left <= kWavesToEnd + period_) return std::nullopt;
  const Sums& from = waves_[n - 1 - period_];
  const Sums& before = waves_[n - 1 - 2 * period_];
  // By slabs done, not by CTAs begun: CTAs that begin together drift apart over some waves, and as long
  // as they do a wave begins sooner than its work is done.
  const auto done = static_cast<double>(sums.sms.slabs - from.sms.slabs);
  const auto done_before = static_cast<double>(from.sms.slabs - before.sms.slabs);
  if (done == 0 || done_before == 0) return std::nullopt;
  const double pace = static_cast<double>(sums.start - from.start) / done;
  const double pace_before = static_cast<double>(from.start - before.start) / done_before;
  if (std::abs(pace - pace_before) > kSteady * pace) return std::nullopt;
  const double blocks = done / static_cast<double>(slabs_);
  const auto times = static_cast<Count>(static_cast<double>((left - kWavesToEnd) * wave_) / blocks);
  if (times == 0) return std::nullopt;
  Skip skip{.blocks = static_cast<Count>(std::llround(static_cast<double>(times) * blocks)),
            .cycles = times * (sums.start - from.start),
            .sms = sums.sms.since(from.sms, times),
            .memory = times * (sums.memory - from.memory),
            .dram_busy_cycles =
                static_cast<double>(times) * (sums.dram_busy_cycles - from.dram_busy_cycles)};
  waves_.clear();
  return skip;
}

}  // namespace tilewave
