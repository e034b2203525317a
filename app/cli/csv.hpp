// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sim/config/json.hpp"

namespace tilewave {

/// The layers of a report as CSV (RFC 4180, but lines end in LF): a header, then one row a layer.
/// The columns are the report's own names with their path, `traffic.dram.read_bytes`, in the order
/// of the report; what some layers do not have is empty there. The counts of `breakdown` get the
/// unit that the others have in their names: `breakdown.matrix_busy_cycles`. A list of values is
/// one cell with spaces between (`shape.stride`: "2 2"); the operand values of a functional run are
/// not written.
[[nodiscard]] std::string layers_csv(const Json& report);

/// A cell, quoted if it has a comma, a quote, a line end, or a space at its ends.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace tilewave
