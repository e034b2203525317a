// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "sim/config/json.hpp"

namespace tilewave {

/// compare_reports() as text: the totals of all runs, then of each run after the first its layers beside the first
/// run's, and those whose time differs most. Ends with a newline.
[[nodiscard]] std::string comparison_table(const Json& comparison, std::size_t columns);

}  // namespace tilewave
