// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "sim/config/json.hpp"

namespace tilewave {

/// A report as text for an engineer: machine and workload, a row a layer, totals, the slowest
/// layers, and in words what the time goes to. Takes everything from the report's JSON; what is not
/// in there is left out. No line is longer than `columns` (at least 40; 80 fits everything, more
/// gives room to long layer names). Ends with a newline.
[[nodiscard]] std::string report_table(const Json& report, std::size_t columns);

/// "the arrays wait for weights from DRAM", of a class of a report's "breakdown".
[[nodiscard]] std::string cycle_class_in_words(const std::string& name);

}  // namespace tilewave
