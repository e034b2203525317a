// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// Amounts over time in a bounded number of bins, however long the run: when an amount lands beyond
/// the last bin, neighbouring bins are merged and the bin width doubles. An amount given for an
/// interval is spread evenly over it.
class Timeline {
 public:
  Timeline(std::size_t channels, std::size_t max_bins = 512);

  /// Adds `amount` to `channel`, spread over [begin, end); end == begin counts as one cycle.
  void add(std::size_t channel, Cycle begin, Cycle end, double amount);

  [[nodiscard]] Cycle bin_cycles() const noexcept { return bin_cycles_; }
  /// Amount in each bin up to `end`, the last one possibly covering a part of its cycles.
  [[nodiscard]] std::vector<double> bins(std::size_t channel, Cycle end) const;

 private:
  void merge();
  std::size_t max_bins_;
  Cycle bin_cycles_ = 1;
  std::vector<std::vector<double>> channels_;
};

}  // namespace tilewave
