// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "app/sweep/run_sweep.hpp"

namespace tilewave {

/// "[####....]  42 %  420 of 1000 points  212 points/s  0:08 left  3 failed", in at most `columns`: with less in it
/// where that is narrow. `seconds` is since the start; the rate is of the points that this run does.
[[nodiscard]] std::string sweep_progress_text(const SweepCounts& counts, double seconds,
                                              std::size_t columns);

/// The line of a sweep on a terminal, redrawn at most ten times a second and erased at the end.
class SweepProgressLine {
 public:
  explicit SweepProgressLine(bool wanted);
  ~SweepProgressLine() { erase(); }
  SweepProgressLine(const SweepProgressLine&) = delete;
  SweepProgressLine& operator=(const SweepProgressLine&) = delete;

  void update(const SweepCounts& counts);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace tilewave
