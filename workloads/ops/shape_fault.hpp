// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/values.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// What is wrong with the sizes of an op, wherever they come from: JSON, CSV, a network, Python.
struct ShapeFault {
  std::string key;      ///< the member at fault as in JSON: "groups", "stride[0]"; empty: all of it
  std::string message;  ///< "must divide c = 30, is 4"
};
using ShapeFaults = std::vector<ShapeFault>;

/// Extent of one dimension. The upper end is far above any tensor; sums of a few cannot wrap.
inline constexpr Range kDimension{.min = 1, .max = 1'000'000'000'000};
/// Stride and dilation of a window.
inline constexpr Range kStep{.min = 1, .max = 1'000'000};
/// Padding on one side.
inline constexpr Range kPadding{.min = 0, .max = 1'000'000};

/// Adds a fault if `value` is not within `range`.
void check_size(Count value, const Range& range, std::string_view key, ShapeFaults& faults);
/// The same for each of a list: keys `key[0]`, `key[1]` …
void check_sizes(std::span<const Count> values, const Range& range, std::string_view key,
                 ShapeFaults& faults);

}  // namespace tilewave
