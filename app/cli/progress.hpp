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
  /// A layer of the run, and the fewest cycles it can take: the share that is done is estimated
  /// from these.
  struct Layer {
    std::string name;
    double least_cycles = 0;
  };

  ProgressLine(int descriptor, std::vector<Layer> layers);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(std::size_t layers_done, std::size_t layers, Cycle now);
  void erase();

 private:
  [[nodiscard]] double share_done(std::size_t layers_done, Cycle now);

  using Clock = std::chrono::steady_clock;

  int descriptor_;
  std::vector<Layer> layers_;
  double all_cycles_ = 0;    ///< of all layers, the fewest
  std::size_t current_ = 0;  ///< layer at work
  Cycle current_since_ = 0;  ///< the first cycle in which it was seen to be
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace tilewave
