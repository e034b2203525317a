// SPDX-License-Identifier: Apache-2.0
#include "workloads/ops/shape_fault.hpp"

#include <fmt/format.h>

namespace tilewave {

void check_size(Count value, const Range& range, std::string_view key, ShapeFaults& faults) {
  if (!range.contains(value)) {
    faults.push_back({std::string(key), fmt::format("must be {}, is {}", range.text(), value)});
  }
}

void check_sizes(std::span<const Count> values, const Range& range, std::string_view key,
                 ShapeFaults& faults) {
  for (std::size_t axis = 0; axis < values.size(); ++axis) {
    check_size(values[axis], range, fmt::format("{}[{}]", key, axis), faults);
  }
}

}  // namespace tilewave
