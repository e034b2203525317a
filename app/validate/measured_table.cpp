// SPDX-License-Identifier: Apache-2.0
#include "app/validate/measured_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/config/json_path.hpp"
#include "sim/config/text_file.hpp"
#include "workloads/import/csv_table.hpp"

namespace tilewave {
namespace {

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Takes a column's name off `text`, which follows a '$'.
std::string_view take_name(std::string_view& text) {
  const std::string_view name = text.substr(0, text.find_first_not_of(kNameCharacters));
  text.remove_prefix(name.size());
  return name;
}

template <typename T>
std::optional<T> number_in_text(std::string_view text) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Json as_json(const std::string& cell) {
  if (const auto whole = number_in_text<std::int64_t>(cell)) return *whole;
  if (const auto real = number_in_text<double>(cell)) return *real;
  if (cell == "true" || cell == "false") return cell == "true";
  return cell;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The factors of "$rows * 4 * $cols" as numbers; nothing if that is not what `text` is.
std::optional<Json> product(std::string_view text, const MeasuredRow& row) {
  std::int64_t value = 1;
  while (true) {
    const auto star = text.find('*');
    std::string_view factor = trimmed(text.substr(0, star));
    std::optional<std::int64_t> number;
    if (factor.starts_with('$')) {
      factor.remove_prefix(1);
      const std::string_view name = take_name(factor);
      if (!factor.empty() || name.empty()) return std::nullopt;
      number = number_in_text<std::int64_t>(row.at(name));
    } else {
      number = number_in_text<std::int64_t>(factor);
    }
    if (!number || __builtin_mul_overflow(value, *number, &value)) return std::nullopt;
    if (star == std::string_view::npos) return Json(value);
    text.remove_prefix(star + 1);
  }
}

Json filled_in(const std::string& text, const MeasuredRow& row) {
  if (text.find('$') == std::string::npos) return text;
  std::string_view rest = std::string_view(text).substr(1);
  if (text.starts_with('$') && take_name(rest).size() + 1 == text.size()) {
    return as_json(row.at(text.substr(1)));
  }
  if (auto value = product(text, row)) return *value;
  return fill_text(text, row);
}

}  // namespace

const std::string& MeasuredRow::at(std::string_view column) const {
  static const std::string nothing;
  const auto found = cells.find(column);
  return found == cells.end() ? nothing : found->second;
}

bool MeasuredTable::has(std::string_view column) const {
  return std::ranges::find(columns, column) != columns.end();
}

bool RowFilter::matches(const MeasuredRow& row) const {
  const std::string& cell = row.at(column);
  return values.empty() ? !cell.empty() : std::ranges::find(values, cell) != values.end();
}

bool match_all(const std::vector<RowFilter>& filters, const MeasuredRow& row) {
  return std::ranges::all_of(filters, [&](const RowFilter& f) { return f.matches(row); });
}

MeasuredTable read_measured_table(const std::string& file, Diagnostics& diagnostics) {
  MeasuredTable table{.file = file, .columns = {}, .rows = {}};
  const auto text = read_file(file, diagnostics);
  if (!text) return table;
  const auto checked = check_utf8(*text, file, diagnostics);
  if (!checked) return table;
  const auto lines = read_csv(*checked, file, diagnostics);
  if (lines.size() < 2) {
    if (diagnostics.ok()) {
      diagnostics.error(file, "", "a line of column names and at least one row are needed");
    }
    return table;
  }
  for (const std::string& name : lines.front().cells) {
    const bool sound =
        !name.empty() && name.find_first_not_of(kNameCharacters) == std::string::npos;
    if (!sound) {
      diagnostics.error(
          file, "", fmt::format("a column's name is letters, digits and _, is {}", in_quotes(name)),
          lines.front().line);
    } else if (table.has(name)) {
      diagnostics.error(file, "", fmt::format("there are two columns {}", in_quotes(name)),
                        lines.front().line);
    }
    table.columns.push_back(name);
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const CsvRow& line = lines[i];
    if (line.cells.size() > table.columns.size()) {
      diagnostics.error(file, "",
                        fmt::format("has {} cells, there are {} columns", line.cells.size(),
                                    table.columns.size()),
                        line.line);
      continue;
    }
    MeasuredRow row{.line = line.line, .cells = {}};
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      row.cells.emplace(table.columns[c], std::string(line.at(c)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> columns_in(std::string_view text) {
  std::vector<std::string> names;
  for (auto dollar = text.find('$'); dollar != std::string_view::npos; dollar = text.find('$')) {
    text.remove_prefix(dollar + 1);
    names.emplace_back(take_name(text));
  }
  return names;
}

std::string fill_text(std::string_view text, const MeasuredRow& row) {
  std::string out;
  while (!text.empty()) {
    const auto dollar = text.find('$');
    out += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    out += row.at(take_name(text));
  }
  return out;
}

Json fill_value(const Json& value, const MeasuredRow& row) {
  if (value.is_string()) return filled_in(value.get<std::string>(), row);
  if (!value.is_structured()) return value;
  Json out = value;
  for (auto& item : out) item = fill_value(Json(item), row);
  return out;
}

}  // namespace tilewave
