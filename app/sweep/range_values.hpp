// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/sweep/sweep.hpp"

namespace tilewave {

/// A range as a sweep file writes it.
struct RangeRule {
  Json from;  ///< numbers
  Json to;
  RangeScale scale = RangeScale::linear;
  std::optional<double> step;
  std::optional<Count> values;
};

/// The values it stands for: with "values" so many, even on the scale; else from the first by a step (linear),
/// doubling (log2) or times ten (log10), up to the last. Two whole ends make whole numbers, each once. Throws
/// ExpressionError: the ends are in the wrong order, not positive for a logarithm, without a step, or stand
/// for more than `most` values.
[[nodiscard]] std::vector<Json> range_values(const RangeRule& rule, std::size_t most);

/// The ends alone. Throws as range_values().
[[nodiscard]] ContinuousRange continuous_range(const RangeRule& rule);

}  // namespace tilewave
