// SPDX-License-Identifier: Apache-2.0
#include "app/validate/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tilewave {
namespace {

constexpr double kPercent = 100.0;
constexpr double kClose = 10.0;
constexpr double kNear = 20.0;
constexpr std::size_t kLeastRanked = 3;
/// Keeps the logarithm finite for a run that took no time.
constexpr double kLeastRatio = 1e-9;

double log_ratio(const Comparison& c) {
  return std::log(std::max(c.simulated / c.measured, kLeastRatio));
}

template <typename Key>
std::vector<double> ranks(std::span<const Comparison> comparisons, Key key) {
  std::vector<std::size_t> order(comparisons.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return comparisons[i].*key; });
  std::vector<double> rank(order.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const double value = comparisons[order[begin]].*key;
    while (end < order.size() && comparisons[order[end]].*key == value) ++end;
    // Equal values share the mean of their places.
    const double place = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) rank[order[i]] = place;
  }
  return rank;
}

std::optional<double> rank_correlation(std::span<const Comparison> comparisons) {
  if (comparisons.size() < kLeastRanked) return std::nullopt;
  const auto a = ranks(comparisons, &Comparison::simulated);
  const auto b = ranks(comparisons, &Comparison::measured);
  const double mean = static_cast<double>(comparisons.size() - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  if (aa <= 0 || bb <= 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

}  // namespace

double error_of(const Comparison& c, bool in_points) {
  return in_points ? c.simulated - c.measured : (c.simulated / c.measured - 1) * kPercent;
}

double badness(const Comparison& c, bool in_points) {
  return std::abs(in_points ? error_of(c, true) : log_ratio(c));
}

Score score_of(std::span<const Comparison> comparisons, bool in_points) {
  Score score;
  score.rows = comparisons.size();
  if (comparisons.empty()) return score;
  std::vector<double> errors;
  double bias = 0;
  for (const Comparison& c : comparisons) {
    errors.push_back(std::abs(error_of(c, in_points)));
    bias += in_points ? error_of(c, true) : log_ratio(c);
  }
  std::ranges::sort(errors);
  const auto rows = static_cast<double>(errors.size());
  const auto within = [&](double limit) {
    return kPercent *
           static_cast<double>(std::ranges::upper_bound(errors, limit) - errors.begin()) / rows;
  };
  score.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / rows;
  score.median = errors[errors.size() / 2];
  score.within_10_pct = within(kClose);
  score.within_20_pct = within(kNear);
  score.bias = in_points ? bias / rows : std::exp(bias / rows);
  score.worst = errors.back();
  score.rank_correlation = rank_correlation(comparisons);
  return score;
}

}  // namespace tilewave
