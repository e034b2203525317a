// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "arch/core/sm/cta_plan.hpp"
#include "arch/core/sm/sm_record.hpp"
#include "arch/memory/shared_l2/gpu_memory.hpp"

namespace tilewave {

/// Finds the waves of CTAs of a kernel that need not be simulated. The order of tiles repeats after a
/// group of rows of them (Cta::raster_rows): where two stretches of waves as long as a group (a few, in long
/// rows) did their slabs at the same pace (kSteady), all but the last waves to come keep it and do the same.
/// Tests hold what comes out within half a percent of what comes out without.
class SteadyWaves {
 public:
  /// Sums over the SMs and the memory at the start of a wave.
  struct Sums {
    Cycle start = 0;
    SmRecord sms;
    GpuMemoryCounts memory;
    double dram_busy_cycles = 0;
  };
  /// CTAs' blocks to skip, and what they come to.
  struct Skip {
    Count blocks = 0;
    Cycle cycles = 0;
    SmRecord sms;
    GpuMemoryCounts memory;
    double dram_busy_cycles = 0;
  };

  /// A kernel begins, `wave` CTAs of which run at a time.
  void begin(const CtaPlan& plan, Count wave);
  /// The start of a wave whose first block is `next_block`.
  [[nodiscard]] std::optional<Skip> at_wave(const Sums& sums, Count next_block);

 private:
  std::vector<Sums> waves_;
  std::size_t period_ = 1, cold_ = 0;
  const CtaPlan* plan_ = nullptr;
  Count wave_ = 1;
  bool few_ = false;
};

}  // namespace tilewave
