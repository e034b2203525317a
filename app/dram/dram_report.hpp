// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "app/dram/dram_run.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// How the run was done: the only part of a report that differs from run to run.
struct DramRunHost {
  std::string fidelity;  ///< "fast" or "detailed"
  double wall_s = 0;
};

/// The report of `tilewave dram` (docs/dram.md): `traffic` is an object with the pattern and its
/// parameters, or the trace.
[[nodiscard]] Json dram_report(const DramRunRequest& request, const DramRunResult& result,
                               const Json& traffic, const DramRunHost& host);

/// A report as text for an engineer. No line is longer than `columns` (at least 40), but for words
/// that are longer themselves. Ends with a newline.
[[nodiscard]] std::string dram_table(const Json& report, std::size_t columns);

}  // namespace tilewave
