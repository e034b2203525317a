// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/sweep/sample_table.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kMostFailures = 5;

class Summarizer {
 public:
  Summarizer(const SweepPlan& plan, std::size_t most_rows)
      : sweep_(plan.sweep()),
        most_rows_(most_rows),
        parameters_(sweep_.parameters.size()),
        objectives_(sweep_.objectives.size()) {}

  void add(const PointResult& result) {
    if (!result.error.empty()) {
      ++summary_.failed;
      if (summary_.failures.size() < kMostFailures) {
        summary_.failures.push_back({.point = result.number, .error = result.error});
      }
      return;
    }
    if (!result.warnings.empty()) {
      ++summary_.with_warnings;
      if (summary_.first_warning.empty()) summary_.first_warning = result.warnings.front();
    }
    points_.push_back(result.number);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      parameters_[i].add(result.parameters.at(sweep_.parameters[i].path));
    }
    for (std::size_t i = 0; i < objectives_.size(); ++i) {
      objectives_[i].push_back(result.objectives.at(sweep_.objectives[i].name).get<double>());
    }
  }

  SweepSummary finish() {
    summary_.points = points_.size();
    std::vector<std::vector<double>> costs = objectives_;  // less is better
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (!sweep_.objectives[i].more_is_better) continue;
      for (double& value : costs[i]) value = -value;
    }
    for (std::size_t i = 0; i < objectives_.size(); ++i) {
      summary_.objectives.push_back(judged_by(i, costs[i]));
    }
    if (costs.size() > 1) {
      const auto front = pareto_front(costs);
      summary_.pareto_points = front.size();
      for (const std::uint32_t index : front) {
        if (summary_.pareto.size() == most_rows_) break;
        summary_.pareto.push_back(row(index));
      }
    }
    return std::move(summary_);
  }

 private:
  [[nodiscard]] SummaryRow row(std::uint32_t index) const {
    SummaryRow row{.point = points_[index], .objectives = {}, .parameters = Json::object()};
    for (const auto& values : objectives_) row.objectives.push_back(values[index]);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      row.parameters[sweep_.parameters[i].path] =
          parameters_[i].words(parameters_[i].codes()[index]);
    }
    return row;
  }

  SweepSummary::Objective judged_by(std::size_t objective, const std::vector<double>& costs) const {
    SweepSummary::Objective out;
    std::vector<std::uint32_t> order(points_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto shown = static_cast<std::ptrdiff_t>(std::min(most_rows_, order.size()));
    std::ranges::partial_sort(order, order.begin() + shown, [&](std::uint32_t a, std::uint32_t b) {
      return costs[a] != costs[b] ? costs[a] < costs[b] : a < b;
    });
    for (std::ptrdiff_t i = 0; i < shown; ++i) {
      out.best.push_back(row(order[static_cast<std::size_t>(i)]));
    }
    const auto& values = objectives_[objective];
    out.geometric = std::ranges::all_of(values, [](double value) { return value > 0; });
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (sweep_.parameters[p].expression() != nullptr) continue;  // follows from the others
      const SampleGroups groups = grouped(parameters_[p]);
      if (groups.names.size() < 2) continue;
      out.sensitivities.push_back(sensitivity(p, groups, values, out.geometric,
                                              sweep_.objectives[objective].more_is_better));
    }
    std::ranges::stable_sort(out.sensitivities, std::greater{}, &Sensitivity::share);
    return out;
  }

  [[nodiscard]] Sensitivity sensitivity(std::size_t parameter, const SampleGroups& groups,
                                        const std::vector<double>& values, bool geometric,
                                        bool more_is_better) const {
    std::vector<double> sums(groups.names.size()), counts(groups.names.size());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = geometric ? std::log(values[i]) : values[i];
      sums[groups.group[i]] += value;
      counts[groups.group[i]] += 1;
      sum += value;
    }
    const double mean = sum / static_cast<double>(values.size());
    for (const double raw : values) {
      const double value = (geometric ? std::log(raw) : raw) - mean;
      squares += value * value;
    }
    std::size_t best = 0, worst = 0;
    double between = 0;
    for (std::size_t g = 0; g < sums.size(); ++g) {
      sums[g] /= counts[g];
      between += counts[g] * (sums[g] - mean) * (sums[g] - mean);
      if (more_is_better ? sums[g] > sums[best] : sums[g] < sums[best]) best = g;
      if (more_is_better ? sums[g] < sums[worst] : sums[g] > sums[worst]) worst = g;
    }
    const auto shown = [&](double value) { return geometric ? std::exp(value) : value; };
    // A spread of nothing but rounding is none.
    const bool varies = squares > 1e-24 * (mean * mean + 1) * static_cast<double>(values.size());
    return {.path = sweep_.parameters[parameter].path,
            .share = varies ? std::min(1.0, between / squares) : 0.0,
            .best_at = groups.names[best],
            .worst_at = groups.names[worst],
            .best_mean = shown(sums[best]),
            .worst_mean = shown(sums[worst])};
  }

  const Sweep& sweep_;
  std::size_t most_rows_;
  std::vector<std::uint64_t> points_;
  std::vector<SampleColumn> parameters_;
  std::vector<std::vector<double>> objectives_;
  SweepSummary summary_;
};

}  // namespace

SweepSummary summarize(const SweepPlan& plan, SweepStore& store, std::size_t most_rows) {
  Summarizer summarizer(plan, most_rows);
  store.each([&](const PointResult& result) { summarizer.add(result); });
  return summarizer.finish();
}

}  // namespace tilewave
