// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline.hpp"

#include <algorithm>
#include <numeric>

namespace tilewave {

Timeline::Timeline(std::size_t channels, std::size_t max_bins)
    : max_bins_(max_bins), channels_(channels, std::vector<double>(max_bins, 0.0)) {}

void Timeline::merge() {
  for (auto& bins : channels_) {
    for (std::size_t i = 0; i < max_bins_; ++i) {
      const std::size_t left = 2 * i;
      bins[i] = left + 1 < max_bins_ ? bins[left] + bins[left + 1]
                : left < max_bins_   ? bins[left]
                                     : 0;
    }
  }
  bin_cycles_ *= 2;
}

void Timeline::cover(Cycle end) {
  while (end > 0 && (end - 1) / bin_cycles_ >= max_bins_) merge();
}

void Timeline::add(std::size_t channel, Cycle begin, Cycle end, double amount) {
  const Entry entry{channel, begin, end, amount};
  if (keeps_log_) log_.push_back(entry);
  enter(entry);
}

void Timeline::repeat(std::size_t from, Cycle period, std::size_t times) {
  for (std::size_t i = 1; i <= times; ++i) {
    for (std::size_t e = from; e < log_.size(); ++e) {
      Entry entry = log_[e];
      entry.begin += i * period;
      entry.end += i * period;
      enter(entry);
    }
  }
}

void Timeline::enter(const Entry& entry) {
  const auto& [channel, begin, given_end, amount] = entry;
  const Cycle end = std::max(given_end, begin + 1);
  cover(end);
  auto& bins = channels_[channel];
  const double rate = amount / static_cast<double>(end - begin);
  for (Cycle bin = begin / bin_cycles_; bin <= (end - 1) / bin_cycles_; ++bin) {
    const Cycle from = std::max(begin, bin * bin_cycles_);
    const Cycle to = std::min(end, (bin + 1) * bin_cycles_);
    bins[bin] += rate * static_cast<double>(to - from);
  }
}

std::vector<double> Timeline::bins(std::size_t channel, Cycle end) const {
  const auto count = std::min<Cycle>(ceil_div(std::max<Cycle>(end, 1), bin_cycles_), max_bins_);
  const auto& bins = channels_[channel];
  const auto last = bins.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<double> amounts(bins.begin(), last);
  amounts.back() = std::accumulate(last, bins.end(), amounts.back());
  return amounts;
}

}  // namespace tilewave
