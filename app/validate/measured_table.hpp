// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// A row of measurements: text by column.
struct MeasuredRow {
  int line = 0;  ///< in the CSV file
  std::map<std::string, std::string, std::less<>> cells;

  /// The cell, or "" if there is none.
  [[nodiscard]] const std::string& at(std::string_view column) const;
};

/// A CSV file whose first line names the columns.
struct MeasuredTable {
  std::string file;
  std::vector<std::string> columns;
  std::vector<MeasuredRow> rows;

  [[nodiscard]] bool has(std::string_view column) const;
};

/// Rows whose cell is one of the values; without values, whose cell is not empty.
struct RowFilter {
  std::string column;
  std::vector<std::string> values;

  [[nodiscard]] bool matches(const MeasuredRow& row) const;
};
[[nodiscard]] bool match_all(const std::vector<RowFilter>& filters, const MeasuredRow& row);

/// Reads a table. Reports a column without a name, one named twice, a row with more cells than
/// columns, and a file without rows.
[[nodiscard]] MeasuredTable read_measured_table(const std::string& file, Diagnostics& diagnostics);

// Templates: texts with $column in them, which stands for the row's cell.

/// The columns that `text` names.
[[nodiscard]] std::vector<std::string> columns_in(std::string_view text);
/// `text` with the cells put in.
[[nodiscard]] std::string fill_text(std::string_view text, const MeasuredRow& row);
/// A JSON value in which each text is filled. A text that is nothing but $columns and numbers with
/// '*' between them is their product, "$rows * $cols"; one that is a single $column is a number or
/// true or false if the cell is.
[[nodiscard]] Json fill_value(const Json& value, const MeasuredRow& row);

}  // namespace tilewave
