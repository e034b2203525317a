// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"

namespace tilewave {

/// How a number to compare comes out of a run, or of a row's layers in a run.
enum class QuantityKind {
  time_us,
  cycles,           ///< of the core's clock
  tops,             ///< 10^12 operations a second, a multiply-accumulate counted as two
  speedup,          ///< time of the baseline over this time
  cycle_share_pct,  ///< cycles of some classes of the breakdown
  useful_macs_pct,  ///< multiply-accumulates of the arrays' peak
  unused_macs_pct,  ///< what the arrays could have done beside while they were busy
};

struct Quantity {
  QuantityKind kind = QuantityKind::time_us;
  std::vector<std::string> classes;  ///< of cycle_share_pct, as a report's "breakdown" has them

  /// Errors are differences of shares, in points; of all others, percent.
  [[nodiscard]] bool in_points() const;
  [[nodiscard]] std::string_view unit() const;
};
[[nodiscard]] std::string_view to_string(QuantityKind kind);

/// What a run, or part of it, came to.
struct Outcome {
  double cycles = 0;
  double time_s = 0;
  double flops = 0;
  double busy_macs = 0;  ///< utilization x cycles: cycles with all multipliers at work
  std::map<std::string, double> breakdown;

  Outcome& operator+=(const Outcome& other);
};

/// Of a layer or the total of a report.
[[nodiscard]] Outcome outcome_of(const Json& entry);

/// `baseline` is looked at for a speed-up only.
[[nodiscard]] double value_of(const Quantity& quantity, const Outcome& outcome,
                              const Outcome& baseline);

}  // namespace tilewave
