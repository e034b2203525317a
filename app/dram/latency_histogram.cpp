// SPDX-License-Identifier: Apache-2.0
#include "app/dram/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewave {

LatencyHistogram::LatencyHistogram() : bins_(kExact + ((64 - kExactBits) << kStepBits)) {}

std::size_t LatencyHistogram::wide_bin_of(std::uint64_t latency) noexcept {
  const auto power = static_cast<unsigned>(std::bit_width(latency)) - 1;
  const std::uint64_t step = (latency >> (power - kStepBits)) - (std::uint64_t{1} << kStepBits);
  return kExact + ((power - kExactBits) << kStepBits) + step;
}

std::uint64_t LatencyHistogram::largest_in(std::size_t bin) noexcept {
  if (bin < kExact) return bin;
  const std::size_t above = bin - kExact;
  const auto power = static_cast<unsigned>(above >> kStepBits) + kExactBits;
  const std::uint64_t steps = (above & ((std::uint64_t{1} << kStepBits) - 1)) + 1;
  return (((std::uint64_t{1} << kStepBits) + steps) << (power - kStepBits)) - 1;
}

LatencyHistogram& LatencyHistogram::operator+=(const LatencyHistogram& other) noexcept {
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
  return *this;
}

double LatencyHistogram::mean() const noexcept {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

std::uint64_t LatencyHistogram::percentile(double share) const noexcept {
  const auto wanted =
      std::max(static_cast<Count>(std::ceil(share * static_cast<double>(count_))), Count{1});
  Count seen = 0;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    seen += bins_[i];
    if (seen >= wanted) return std::min(largest_in(i), max_);
  }
  return max_;
}

}  // namespace tilewave
