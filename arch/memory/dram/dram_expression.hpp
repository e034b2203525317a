// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sim/config/values.hpp"

namespace tilewave {

/// Value of names of timings and whole numbers joined by + and -, as "nCWL + nBL + 2". A name that
/// is not in `timings` is a fault: `there is no timing "nCLL"; did you mean "nCL"?`.
[[nodiscard]] Checked<std::int64_t> evaluate_timing(
    std::string_view expression, const std::map<std::string, std::int64_t>& timings);

}  // namespace tilewave
