// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// What a progress line says.
struct Progress {
  std::size_t layers_done = 0;
  std::size_t layers = 0;
  std::string layer;        ///< name of the one at work; may be empty
  double share = 0;         ///< of the work that is done
  double cycles_per_s = 0;  ///< simulated
  std::optional<double> seconds_left;
};

/// "[####......]  42 %  layer 23 of 54 conv3_1  12.30 Mcycles/s  0:08 left" in at most `columns`:
/// in a narrow terminal with less in it.
[[nodiscard]] std::string progress_text(const Progress& progress, std::size_t columns);

/// One line on a terminal, redrawn at most ten times a second and erased at the end. Nothing is
/// drawn in the first moments, so that a short run leaves the screen alone.
class ProgressLine {
 public:
  /// A layer of the run: its work in any unit, which the time left is estimated from.
  struct Layer {
    std::string name;
    double work = 0;
  };

  ProgressLine(int descriptor, std::vector<Layer> layers);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(std::size_t layers_done, std::size_t layers, Cycle now);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  int descriptor_;
  std::vector<Layer> layers_;
  double work_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace tilewave
