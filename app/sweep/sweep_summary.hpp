// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_store.hpp"

namespace tilewave {

/// A point that is shown.
struct SummaryRow {
  std::uint64_t point = 0;
  std::vector<double> objectives;  ///< as in the sweep
  Json parameters;
};

/// How much one parameter matters for one objective.
struct Sensitivity {
  std::string path;
  /// Share of the objective's variation over the points that the parameter explains by itself: the variance of
  /// the means of its values over the variance of all points (first-order index, eta squared).
  double share = 0;
  std::string best_at, worst_at;  ///< its values with the best and the worst mean
  double best_mean = 0, worst_mean = 0;
};

/// What a sweep found.
struct SweepSummary {
  struct Failure {
    std::uint64_t point = 0;
    std::string error;
  };
  struct Objective {
    std::vector<SummaryRow> best;
    std::vector<Sensitivity> sensitivities;  ///< the largest share first
    bool geometric =
        false;  ///< means and variation are of the logarithm, as all values are positive
  };

  std::uint64_t points = 0;  ///< with a result
  std::uint64_t failed = 0;
  std::uint64_t with_warnings = 0;
  std::string first_warning;
  std::vector<Failure> failures;  ///< the first few
  std::vector<Objective> objectives;
  std::vector<SummaryRow>
      pareto;  ///< of two objectives or more, the first few by the first objective
  std::uint64_t pareto_points = 0;  ///< all of them
};

/// Reads the store once and keeps a number for each point, parameter and objective. With equal values, the point
/// that comes first is the better one.
[[nodiscard]] SweepSummary summarize(const SweepPlan& plan, SweepStore& store,
                                     std::size_t most_rows);

}  // namespace tilewave
