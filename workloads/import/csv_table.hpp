// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/diagnostics.hpp"

namespace tilewave {

/// A line of a CSV file that holds something.
struct CsvRow {
  int line = 0;  ///< 1-based, in the file
  std::vector<std::string>
      cells;  ///< spaces and tabs around them taken off; no empty ones at the end

  /// Cell `column`, or "" if the row is shorter.
  [[nodiscard]] std::string_view at(std::size_t column) const {
    return column < cells.size() ? std::string_view(cells[column]) : std::string_view();
  }
};

/// Rows of a CSV text as people's files have them: with or without a byte-order mark, LF, CRLF or
/// CR line ends, a final comma or none, quoted cells ("" is a quote), comma, semicolon or tab
/// between the cells (whichever the first line with one has, in this order). Rows without any text
/// are left out. A quoted cell must end on its line; one that does not is an error, and so are rows,
/// cells and characters in numbers that no table has (then no rows are returned).
[[nodiscard]] std::vector<CsvRow> read_csv(std::string_view text, const std::string& file,
                                           Diagnostics& diagnostics);

}  // namespace tilewave
