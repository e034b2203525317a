// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/steady_waves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewave {

namespace {

/// Waves at the start that say nothing of those to come, and waves at the end that are simulated again.
constexpr std::size_t kColdWaves = 2;
constexpr Count kWavesToEnd = 2;
/// A row of tiles is long if it has so many for each of a group's rows: these are 2 % then of the tiles' rows
/// and columns that a group reads. So many of its waves are a stretch.
constexpr Count kLongRow = 50;
constexpr std::size_t kWavesOfLongRow = 4;
/// The most that the paces of two stretches of waves may differ by, as a share.
constexpr double kSteady = 0.003;
/// How far CTAs have drifted apart at the end may differ by a tenth of a wave, of CTAs whose steps take
/// turns (Cta::in_step) by a third, of CTAs that are not equally long (Cta::mask) by three quarters: 0.5 %
/// of so many waves.
constexpr Count kFewestWaves = 20, kFewestWavesInStep = 70, kFewestWavesMasked = 150;

}  // namespace

void SteadyWaves::begin(const CtaPlan& plan, Count wave) {
  waves_.clear();
  wave_ = wave;
  plan_ = &plan;
  const auto& kernel = plan.kernel();
  const auto& mask = kernel.cta.mask;
  const bool unequal = mask && (mask->causal || mask->window > 0);
  const Count fewest = unequal              ? kFewestWavesMasked
                       : kernel.cta.in_step ? kFewestWavesInStep
                                            : kFewestWaves;
  few_ = kernel.kernel.blocks() < fewest * wave;
  const Count group =
      std::min(kernel.cta.raster_rows, kernel.kernel.grid[1]) * kernel.kernel.grid[0];
  period_ = std::max<std::size_t>(1, ceil_div(group, wave));
  // In a long row of tiles all waves are alike: what is new with a group of rows is little.
  if (kernel.kernel.grid[0] >= kLongRow * kernel.cta.raster_rows) {
    period_ = std::min(period_, kWavesOfLongRow);
  }
  if (kernel.cta.mask) {
    // CTAs are not equally long, and heads share K and V: a stretch has all of a plane as often.
    const Count plane = kernel.kernel.grid[0] * kernel.kernel.grid[1];
    period_ = plane / std::gcd(plane, wave);
  }
  // CTAs that fetch ahead are given their first blocks at once.
  cold_ = kColdWaves + ceil_div(plan.stages(), plan.slabs());
}

std::optional<SteadyWaves::Skip> SteadyWaves::at_wave(const Sums& sums, Count next_block) {
  waves_.push_back(sums);
  const std::size_t n = waves_.size();
  const Count end = plan_->kernel().kernel.blocks() - kWavesToEnd * wave_;
  if (few_ || n < cold_ + 2 * period_ + 1 || next_block >= end) return std::nullopt;
  const Sums& from = waves_[n - 1 - period_];
  const Sums& before = waves_[n - 1 - 2 * period_];
  // By slabs done, not by CTAs begun: CTAs that begin together drift apart over some waves, and as long
  // as they do a wave begins sooner than its work is done; and under a mask CTAs differ in slabs.
  const Count done = sums.sms.slabs - from.sms.slabs;
  const Count done_before = from.sms.slabs - before.sms.slabs;
  if (done == 0 || done_before == 0) return std::nullopt;
  const Cycle cycles = sums.start - from.start;
  const double pace = static_cast<double>(cycles) / static_cast<double>(done);
  const double pace_before =
      static_cast<double>(from.start - before.start) / static_cast<double>(done_before);
  if (std::abs(pace - pace_before) > kSteady * pace) return std::nullopt;
  const Count times = plan_->slabs_of(next_block, end) / done;
  if (times == 0) return std::nullopt;
  Skip skip{.blocks = plan_->blocks_with(times * done, next_block),
            .cycles = times * cycles,
            .sms = sums.sms.since(from.sms, times),
            .memory = times * (sums.memory - from.memory),
            .dram_busy_cycles =
                static_cast<double>(times) * (sums.dram_busy_cycles - from.dram_busy_cycles)};
  waves_.clear();
  return skip;
}

}  // namespace tilewave
