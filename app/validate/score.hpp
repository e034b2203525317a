// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tilewave {

/// A number of ours beside the measured one.
struct Comparison {
  double simulated = 0;
  double measured = 0;
};

/// Ours against the measured one: percent of the measured one, or points if both are shares in
/// percent. Positive: ours is larger.
[[nodiscard]] double error_of(const Comparison& c, bool in_points);

/// What the errors of some rows come to.
struct Score {
  std::size_t rows = 0;
  double mean = 0;           ///< of the absolute errors: the mean absolute percentage error
  double median = 0;         ///< of the absolute errors; of an even number, the upper of the two
  double within_10_pct = 0;  ///< percent of the rows with an absolute error of at most 10
  double within_20_pct = 0;
  double bias = 0;   ///< geometric mean of simulated / measured; in points, the mean difference
  double worst = 0;  ///< largest absolute error
  /// Spearman's: do we order the rows as the measurement does? Of three rows or more.
  std::optional<double> rank_correlation;
};
[[nodiscard]] Score score_of(std::span<const Comparison> comparisons, bool in_points);

/// By what rows are put in order to show the worst: a ratio of 2 is as bad as one of 1/2.
[[nodiscard]] double badness(const Comparison& c, bool in_points);

}  // namespace tilewave
