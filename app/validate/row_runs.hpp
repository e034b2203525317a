// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "app/simulate.hpp"
#include "app/validate/run_suite.hpp"
#include "app/validate/suite.hpp"

/// Inside of run_suite(): from rows to runs of the simulator.
namespace tilewave {

/// The assignments of a row: texts filled, cut at ';'.
[[nodiscard]] std::vector<std::string> filled_sets(const std::vector<std::string>& texts,
                                                   const MeasuredRow& row);

/// Rows that are ops, on one machine. Many rows are one workload, one after another: the machine is
/// set up once, and as where they were measured, one follows another.
class RowRuns {
 public:
  RowRuns(const Suite& suite, const std::string& arch, const std::vector<std::string>& sets,
          const ValidationOptions& options);

  using Done = std::function<void(const MeasuredRow& row, const Outcome& outcome)>;
  void each(const std::vector<const MeasuredRow*>& rows, const Done& done);

 private:
  void run(const MeasuredRow* const* rows, std::size_t count, const Done& done);
  /// The row's ops as an array.
  [[nodiscard]] Json ops_of(const MeasuredRow& row) const;

  const Suite& suite_;
  const ValidationOptions& options_;
  ResolvedArch arch_;
};

/// Rows that are workloads by name: each run once, whatever rows ask for it.
class WorkloadRuns {
 public:
  WorkloadRuns(const Suite& suite, const ValidationOptions& options)
      : suite_(suite), options_(options) {}

  [[nodiscard]] const Outcome& outcome(const std::string& arch,
                                       const std::vector<std::string>& sets,
                                       const std::string& workload, const MeasuredRow& row);

 private:
  using Key = std::tuple<std::string, std::vector<std::string>, std::string>;

  const Suite& suite_;
  const ValidationOptions& options_;
  std::map<Key, Outcome> outcomes_;
};

}  // namespace tilewave
