// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "sim/units.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// One axis (height or width) of a window that slides over an input: convolution and pooling.
///
///   extent  = (filter - 1) dilation + 1              what a window spans
///   outputs = floor((padded input - extent) / stride) + 1, or with ceil_output the same with ceil:
///             a last window that only partly lies on the padded input counts
///   touched = distinct positions of the input (padding excluded) under some tap of some window
///
/// Tap t of window o lies on input position o stride + t dilation - padding.
struct WindowAxis {
  Count input = 1;
  Count filter = 1;
  Count stride = 1;
  Count padding = 0;
  Count dilation = 1;
  bool ceil_output = false;
  std::optional<Count> padding_end{};  ///< after the input, if not as before it

  [[nodiscard]] Count extent() const;
  [[nodiscard]] Count padded_input() const;
  /// At least one whole window.
  [[nodiscard]] bool fits() const;
  /// Requires fits(); 0 if it does not.
  [[nodiscard]] Count outputs() const;
  [[nodiscard]] Count touched() const;
};

/// Adds a fault to `key` (the filter's size) unless the window fits. `axis_name`: "height",
/// "width".
void check_fits(const WindowAxis& axis, std::string_view key, std::string_view axis_name,
                ShapeFaults& faults);

}  // namespace tilewave
