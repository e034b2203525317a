// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tilewave {

/// Which operand a systolic array holds still.
enum class Dataflow { output_stationary, weight_stationary, input_stationary };
[[nodiscard]] std::string_view to_string(Dataflow dataflow);

}  // namespace tilewave
