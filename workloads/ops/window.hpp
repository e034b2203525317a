// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

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
  /// Taps of all windows that lie on the input, not on padding.
  [[nodiscard]] Count taps_on_input() const;
  /// The touched positions as runs [begin, end), in order. Where windows leave gaps in a row of more than
  /// kMostTaps taps, the gaps are closed up: as many positions from the first touched one on.
  struct Run {
    Count begin = 0, end = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  static constexpr Count kMostTaps = Count{1} << 22;
  [[nodiscard]] std::vector<Run> touched_runs() const;

 private:
  /// Windows whose tap `tap` lies on the input.
  [[nodiscard]] Run windows_on_input(Count tap) const;
};

/// Adds a fault to `key` (the filter's size) unless the window fits. `axis_name`: "height",
/// "width".
void check_fits(const WindowAxis& axis, std::string_view key, std::string_view axis_name,
                ShapeFaults& faults);

}  // namespace tilewave
