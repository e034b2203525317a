// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/simulate.hpp"
#include "app/sweep/point_result.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// Runs one point of a sweep. `task` is what SweepPlan::task() made; the answer depends on nothing else but
/// the files that it names and the version of the program: to_line() of a PointResult, without a time or a place
/// in it. Whatever is wrong with the point is an error in the result, nothing is thrown for it.
[[nodiscard]] std::string run_point(std::string_view task);

/// What one point would run.
struct PointInput {
  RunRequest request;
  std::vector<std::string> warnings;
};
/// Machine and workload of a task, with its parameters put in. Throws ConfigError, whose faults name the
/// parameters.
[[nodiscard]] PointInput resolve_task(const Json& task);

/// Names the input of a run: a hash of the resolved machine (with its energy table and DRAM rules), the
/// resolved workload, the fidelity and the version of the program.
[[nodiscard]] std::string key_of(const RunRequest& request);

/// The objectives of a task, from a report (or what of it is kept). Throws ExpressionError if one has no
/// value.
[[nodiscard]] Json objectives_of(const Json& task, const Json& report);

}  // namespace tilewave
