// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/validate/suite.hpp"
#include "sim/config/reader.hpp"

/// Inside of load_suite(): the smaller objects of a suite's file.
namespace tilewave {

/// Are the columns that a suite names in its table?
class ColumnCheck {
 public:
  explicit ColumnCheck(const MeasuredTable& table) : table_(table) {}

  /// Reports at `key` a column that the table lacks; "" is none.
  void column(ObjectReader& reader, std::string_view key, const std::string& name) const;
  /// The same of each $column in a text.
  void text(ObjectReader& reader, std::string_view key, std::string_view text) const;
  /// And of the texts in the value at `path`.
  void value(Diagnostics& diagnostics, const std::string& file, const std::string& path,
             const Json& value) const;

 private:
  /// Words for what is wrong with a column's name, or "".
  [[nodiscard]] std::string fault(const std::string& name) const;

  const MeasuredTable& table_;
};

[[nodiscard]] std::vector<RowFilter> read_filters(ObjectReader& parent, std::string_view key,
                                                  const ColumnCheck& check);
[[nodiscard]] std::vector<Measurement> read_measurements(ObjectReader& suite,
                                                         const ColumnCheck& check);
[[nodiscard]] std::vector<Overhead> read_overheads(ObjectReader& suite, const ColumnCheck& check);
[[nodiscard]] std::vector<KnownReason> read_reasons(ObjectReader& suite, const ColumnCheck& check);

}  // namespace tilewave
