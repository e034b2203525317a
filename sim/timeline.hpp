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

  /// Keeps what is added from now on, for repeat().
  void keep_log() noexcept { keeps_log_ = true; }
  /// How much that is; what was kept is dropped by forget_log().
  [[nodiscard]] std::size_t log_size() const noexcept { return log_.size(); }
  void forget_log() noexcept { log_.clear(); }
  /// Adds again what was added since log_size() was `from`, a number of times, each `period` later.
  void repeat(std::size_t from, Cycle period, std::size_t times);

  /// Merges bins until they reach `end`, also where nothing was added.
  void cover(Cycle end);

  [[nodiscard]] Cycle bin_cycles() const noexcept { return bin_cycles_; }
  /// Amount in each bin up to `end`, which cover() reached; the last one possibly covers a part of
  /// its cycles. What was added after `end` is in the last one: an amount of no length may be at
  /// the end itself.
  [[nodiscard]] std::vector<double> bins(std::size_t channel, Cycle end) const;

 private:
  struct Entry {
    std::size_t channel;
    Cycle begin, end;
    double amount;
  };
  void merge();
  void enter(const Entry& entry);
  bool keeps_log_ = false;
  std::vector<Entry> log_;
  std::size_t max_bins_;
  Cycle bin_cycles_ = 1;
  std::vector<std::vector<double>> channels_;
};

}  // namespace tilewave
