// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/csv_table.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <utility>

namespace tilewave {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

// What people's tables have is far below; beyond it, the text is something else.
constexpr std::size_t kMostRows = 1'000'000;
constexpr std::size_t kMostCells = 1000;  ///< in a row
constexpr std::size_t kLongestCell = 4096;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Takes the next line, whatever its end, off `text`.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
  } else {
    const bool crlf = text.substr(end, 2) == "\r\n";
    text.remove_prefix(end + (crlf ? 2 : 1));
  }
  return line;
}

char find_separator(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    for (const char separator : {',', ';', '\t'}) {
      if (trimmed(line).find(separator) != std::string_view::npos) return separator;
    }
  }
  return ',';
}

/// Takes a quoted cell (its opening quote is first) off `line`. False: no closing quote.
bool take_quoted(std::string_view& line, std::string& cell) {
  line.remove_prefix(1);
  while (!line.empty()) {
    const char c = line.front();
    line.remove_prefix(1);
    if (c != '"') {
      cell += c;
    } else if (!line.empty() && line.front() == '"') {
      cell += '"';
      line.remove_prefix(1);
    } else {
      return true;
    }
  }
  return false;
}

/// Takes the line's cells; returns what is wrong with it, or "".
std::string split(std::string_view line, char separator, std::vector<std::string>& cells) {
  const std::string_view blanks = separator == '\t' ? " " : kBlanks;
  while (true) {
    std::string cell;
    const auto start = line.find_first_not_of(blanks);
    if (start != std::string_view::npos && line[start] == '"') {
      line.remove_prefix(start);
      if (!take_quoted(line, cell)) return "a quoted cell has no closing quote on its line";
    }
    const auto end = line.find(separator);
    cell += trimmed(line.substr(0, end));
    if (cell.size() > kLongestCell) {
      return fmt::format("a cell is longer than {} bytes", kLongestCell);
    }
    if (cells.size() == kMostCells) return fmt::format("has more than {} cells", kMostCells);
    cells.emplace_back(trimmed(cell));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return {};
}

}  // namespace

std::vector<CsvRow> read_csv(std::string_view text, const std::string& file,
                             Diagnostics& diagnostics) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const char separator = find_separator(text);
  std::vector<CsvRow> rows;
  int number = 0;
  while (!text.empty()) {
    CsvRow row{.line = ++number, .cells = {}};
    std::string fault = split(take_line(text), separator, row.cells);
    const bool no_room = rows.size() == kMostRows && !row.cells.empty();
    if (no_room) fault = fmt::format("there are more than {} rows", kMostRows);
    if (!fault.empty()) diagnostics.error(file, "", std::move(fault), row.line);
    if (no_room) return {};
    if (fault.empty() && !row.cells.empty()) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace tilewave
