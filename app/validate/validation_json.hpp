// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/validate/run_suite.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// What `tilewave validate --json` has of a suite: what it is, a score for each measurement (and for
/// each value of "split_by"), and every case, the worst first.
///
///   { "name", "note", "source", "machines", "rows", "rows_in_table", "rows_skipped", "within_limits",
///     "scores": [ { "name", "quantity", "unit", "error": "percent|points", "split", "rows", "mean",
///                   "median", "within_10_pct", "within_20_pct", "bias", "worst",
///                   "rank_correlation", "limits": { "mean", "median", "each" }, "within_limits" } ],
///     "cases": [ { "score", "label", "line", "simulated", "measured", "error", "limit",
///                  "reason" } ] }
[[nodiscard]] Json validation_json(const Suite& suite, const ValidationRun& run);

}  // namespace tilewave
