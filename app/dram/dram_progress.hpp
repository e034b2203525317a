// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "sim/units.hpp"

namespace tilewave {

/// What a progress line of `tilewave dram` says.
struct DramProgress {
  Count requests = 0;           ///< done
  double requests_per_s = 0;    ///< of the host's time
  std::optional<double> share;  ///< of the work that is done; a trace from a pipe does not tell
  std::optional<double> seconds_left;
};

/// "[####......]  42 %  4.200 Mrequests  0:08 left  3.121 Mrequests/s" in at most `columns`: in a
/// narrow terminal with less in it.
[[nodiscard]] std::string dram_progress_text(const DramProgress& progress, std::size_t columns);

/// One line on a terminal, redrawn at most ten times a second and erased at the end. Nothing is
/// drawn in the first moments, so that a short run leaves the screen alone.
class DramProgressLine {
 public:
  explicit DramProgressLine(int descriptor);
  ~DramProgressLine() { erase(); }
  DramProgressLine(const DramProgressLine&) = delete;
  DramProgressLine& operator=(const DramProgressLine&) = delete;

  void update(Count requests, std::optional<double> share);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  int descriptor_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace tilewave
