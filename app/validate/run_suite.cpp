// SPDX-License-Identifier: Apache-2.0
#include "app/validate/run_suite.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "app/library/arch_library.hpp"
#include "app/simulate.hpp"
#include "app/validate/row_runs.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

/// Every k-th row, so that no more than `most` are left.
std::vector<const MeasuredRow*> sample(const MeasuredTable& table, std::size_t most) {
  std::vector<const MeasuredRow*> rows;
  const std::size_t all = table.rows.size();
  const std::size_t wanted = most == 0 ? all : std::min(most, all);
  for (std::size_t i = 0; i < wanted; ++i) rows.push_back(&table.rows[i * all / wanted]);
  return rows;
}

std::optional<double> cell_number(const std::string& cell) {
  double value = 0;
  const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (result.ec != std::errc() || result.ptr != cell.data() + cell.size()) return std::nullopt;
  return value;
}

class SuiteRun {
 public:
  SuiteRun(const Suite& suite, const ValidationOptions& options)
      : suite_(suite),
        options_(options),
        rows_(sample(suite.table, options.most_rows > 0 ? options.most_rows : suite.sample_rows)) {}

  ValidationRun run() {
    read_numbers();
    run_.rows = rows_.size();
    if (suite_.workload.empty()) {
      run_ops();
    } else {
      run_workloads();
    }
    std::ranges::stable_sort(run_.cases, {}, &ValidationCase::line);
    return std::move(run_);
  }

 private:
  /// The measured values first: a fault in them must not show up after minutes.
  void read_numbers() {
    Diagnostics diagnostics;
    for (const MeasuredRow* row : rows_) {
      for (const Measurement& m : suite_.measurements) {
        (void)number(*row, m.column, !m.quantity.in_points(), diagnostics);
        (void)number(*row, m.limits.each_column, false, diagnostics);
      }
    }
    diagnostics.throw_if_errors();
  }

  std::optional<double> number(const MeasuredRow& row, const std::string& column, bool positive,
                               Diagnostics& diagnostics) const {
    const std::string& cell = row.at(column);
    if (cell.empty()) return std::nullopt;
    const auto value = cell_number(cell);
    if (!value || !std::isfinite(*value) || *value < 0 || (positive && *value == 0)) {
      diagnostics.error(suite_.table.file, column,
                        fmt::format("must be a number {}, is {}",
                                    positive ? "more than 0" : "of at least 0", in_quotes(cell)),
                        row.line);
      return std::nullopt;
    }
    return value;
  }

  void run_ops() {
    using Machine = std::pair<std::string, std::vector<std::string>>;
    std::vector<Machine> machines;
    std::map<Machine, std::vector<const MeasuredRow*>> by_machine;
    for (const MeasuredRow* row : rows_) {
      const Machine machine{fill_text(suite_.arch, *row), filled_sets(suite_.sets, *row)};
      auto& rows = by_machine[machine];
      if (rows.empty()) machines.push_back(machine);
      rows.push_back(row);
    }
    for (const Machine& machine : machines) {
      note_machine(machine.first);
      RowRuns runs(suite_, machine.first, machine.second, options_);
      runs.each(by_machine[machine], [&](const MeasuredRow& row, const Outcome& outcome) {
        compare(row, [&](const Quantity& q) { return value_of(q, outcome, Outcome{}); });
        count_row();
      });
    }
  }

  void run_workloads() {
    WorkloadRuns runs(suite_, options_);
    for (const MeasuredRow* row : rows_) {
      const std::string arch = fill_text(suite_.arch, *row);
      note_machine(arch);
      const auto sets = filled_sets(suite_.sets, *row);
      const auto baseline_sets = filled_sets(suite_.baseline_sets, *row);
      const std::string name = fill_text(suite_.workload, *row);
      const auto group = suite_.groups.find(name);
      const WorkloadGroup members =
          group == suite_.groups.end() ? WorkloadGroup{{name, 1.0}} : group->second;
      compare(*row, [&](const Quantity& q) {
        std::vector<WeightedValue> values;
        for (const auto& [workload, weight] : members) {
          const Outcome& outcome = runs.outcome(arch, sets, workload, *row);
          const Outcome& baseline = q.kind == QuantityKind::speedup
                                        ? runs.outcome(arch, baseline_sets, workload, *row)
                                        : outcome;
          values.push_back({value_of(q, outcome, baseline), weight});
        }
        return mean(values);
      });
      count_row();
    }
  }

  struct WeightedValue {
    double value;
    double weight;
  };

  [[nodiscard]] double mean(const std::vector<WeightedValue>& values) const {
    if (values.size() == 1) return values.front().value;  // unchanged by a logarithm and back
    double sum = 0, weights = 0;
    const bool geometric = suite_.group_mean == Mean::geometric;
    for (const auto& [value, weight] : values) {
      sum += weight * (geometric ? std::log(value) : value);
      weights += weight;
    }
    return geometric ? std::exp(sum / weights) : sum / weights;
  }

  template <typename Value>
  void compare(const MeasuredRow& row, Value&& value) {
    Diagnostics none;  // the numbers have been read once
    for (std::size_t i = 0; i < suite_.measurements.size(); ++i) {
      const Measurement& m = suite_.measurements[i];
      const auto measured = number(row, m.column, !m.quantity.in_points(), none);
      if (!measured) continue;
      ValidationCase c{.line = row.line,
                       .label = label(row),
                       .split = row.at(suite_.split_by),
                       .measurement = i,
                       .comparison = {.simulated = value(m.quantity), .measured = *measured},
                       .limit = number(row, m.limits.each_column, false, none),
                       .reason = reason(row)};
      if (m.quantity.kind == QuantityKind::time_us) c.comparison.simulated += overhead_us(row);
      if (!c.limit) c.limit = m.limits.each;
      run_.cases.push_back(std::move(c));
    }
  }

  [[nodiscard]] std::string label(const MeasuredRow& row) const {
    return suite_.label.empty() ? fmt::format("line {}", row.line) : fill_text(suite_.label, row);
  }

  [[nodiscard]] double overhead_us(const MeasuredRow& row) const {
    double us = 0;
    for (const Overhead& overhead : suite_.overheads) {
      if (match_all(overhead.where, row)) us += overhead.us;
    }
    return us;
  }

  [[nodiscard]] std::string reason(const MeasuredRow& row) const {
    for (const KnownReason& known : suite_.reasons) {
      if (match_all(known.where, row)) return known.reason;
    }
    return {};
  }

  void note_machine(const std::string& name) {
    if (std::ranges::find(run_.machines, name) == run_.machines.end()) {
      run_.machines.push_back(name);
    }
  }

  void count_row() {
    ++done_;
    if (options_.progress) options_.progress(done_, rows_.size());
  }

  const Suite& suite_;
  const ValidationOptions& options_;
  std::vector<const MeasuredRow*> rows_;
  ValidationRun run_;
  std::size_t done_ = 0;
};

}  // namespace

ValidationRun run_suite(const Suite& suite, const ValidationOptions& options) {
  return SuiteRun(suite, options).run();
}

}  // namespace tilewave
