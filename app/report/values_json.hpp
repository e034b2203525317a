// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/gemm_values.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// Operands and result of a functional GEMM as nested arrays [batch][row][column], if they have at
/// most kMostValues elements together; always the sum of the result's elements.
inline constexpr Count kMostValues = Count{1} << 20;
[[nodiscard]] Json values_json(const program::GemmValues& values);

}  // namespace tilewave
