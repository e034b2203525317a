// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/import/csv_table.hpp"

namespace tilewave::scale_sim {

/// What a column of a topology file holds.
enum class Column {
  name,
  m,
  n,
  k,
  ifmap_height,
  ifmap_width,
  filter_height,
  filter_width,
  channels,
  filters,
  stride,  ///< both axes
  stride_height,
  stride_width,
  batch,
  groups,
  padding,  ///< both axes
  padding_height,
  padding_width,
  dilation,  ///< both axes
  sparsity,
  count_,  ///< not a column: how many there are
};
inline constexpr std::size_t kColumns = static_cast<std::size_t>(Column::count_);

enum class Form { gemm, conv };

/// Where each column stands in the rows of a file.
struct ColumnMap {
  Form form = Form::conv;
  std::array<std::optional<std::size_t>, kColumns> positions{};
  std::vector<std::string> titles;  ///< of all cells of the header; empty without a header

  [[nodiscard]] std::optional<std::size_t> position(Column column) const {
    return positions[static_cast<std::size_t>(column)];
  }
  [[nodiscard]] bool has(Column column) const { return position(column).has_value(); }
  /// The column's title in the file, or its usual one.
  [[nodiscard]] std::string title(Column column) const;
};

/// What a row says as a header. Spellings do not matter: case, spaces, signs, and the usual
/// synonyms
/// ("IFMAP Height", "ifmap_h", "Input Height", "H").
struct HeaderReading {
  bool is_header = false;             ///< at least two titles are known ones: not a layer
  std::vector<std::string> missing;   ///< titles without which a row is no layer
  std::vector<std::string> unknown;   ///< titles that mean nothing to us
  std::vector<std::string> repeated;  ///< titles that mean what an earlier one does; not used
  ColumnMap columns;                  ///< usable if nothing is missing
};
[[nodiscard]] HeaderReading read_header(const CsvRow& row);

/// SCALE-Sim's own order, for files without a known header: name, M, N, K or name, ifmap height and
/// width, filter height and width, channels, filters, stride [, stride width]; then the sparsity.
/// Nothing if `row` has neither three nor seven numbers.
[[nodiscard]] std::optional<ColumnMap> columns_by_position(const CsvRow& row);

/// "224", also "224.0" as spreadsheets write it.
[[nodiscard]] bool is_whole_number(std::string_view cell);
/// "2:4".
[[nodiscard]] bool is_sparsity(std::string_view cell);

}  // namespace tilewave::scale_sim
