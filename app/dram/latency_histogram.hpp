// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// Latencies counted: mean and maximum exactly, percentiles exactly below kExact and above it to
/// one part in 64. Memory does not grow with the number of latencies.
class LatencyHistogram {
 public:
  static constexpr std::uint64_t kExact = 65536;

  LatencyHistogram();

  void add(std::uint64_t latency) noexcept {
    ++bins_[bin_of(latency)];
    ++count_;
    sum_ += latency;
    if (latency > max_) max_ = latency;
  }
  LatencyHistogram& operator+=(const LatencyHistogram& other) noexcept;

  [[nodiscard]] Count count() const noexcept { return count_; }
  /// 0 without latencies, as are the others.
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  /// The smallest latency that at least this share of all do not exceed; of a bin wider than one,
  /// its largest.
  [[nodiscard]] std::uint64_t percentile(double share) const noexcept;

 private:
  static constexpr unsigned kExactBits = 16;
  static constexpr unsigned kStepBits = 6;

  /// Above kExact, each power of two has 2^kStepBits bins.
  [[nodiscard]] static std::size_t bin_of(std::uint64_t latency) noexcept {
    return latency < kExact ? latency : wide_bin_of(latency);
  }
  [[nodiscard]] static std::size_t wide_bin_of(std::uint64_t latency) noexcept;
  [[nodiscard]] static std::uint64_t largest_in(std::size_t bin) noexcept;

  std::vector<Count> bins_;
  Count count_ = 0;
  std::uint64_t sum_ = 0, max_ = 0;
};

}  // namespace tilewave
