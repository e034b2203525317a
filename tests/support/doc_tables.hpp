// SPDX-License-Identifier: Apache-2.0
// The tables of keys in docs/, compared with what the readers ask for.
//
// A table stands between the comments `<!-- keys NAME -->` and `<!-- end of keys -->`; its columns
// are key, value, default, meaning. The first three are as KeyDocs gives them, so that they cannot
// go stale; the meaning is the document's.
#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arch/program/data_type.hpp"
#include "sim/config/key_docs.hpp"
#include "sim/config/text_file.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {

struct DocRow {
  std::string value, default_value, meaning;
};

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// "one of int4, int8, …" is "a data type" in the tables.
inline std::string in_doc_words(const std::string& expects) {
  std::string types;
  for (const DataType type : all_data_types()) {
    types += (types.empty() ? "" : ", ") + std::string(to_string(type));
  }
  return replaced(replaced(expects, "one of " + types, "a data type"), types, "data type");
}

inline std::string in_doc_words(const KeyDoc& key, bool is_default) {
  if (!is_default) return in_doc_words(key.expects);
  if (key.required) return "required";
  return key.default_value.empty() ? "none" : "`" + key.default_value + "`";
}

inline std::string trimmed_cell(std::string_view cell) {
  const auto first = cell.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(cell.substr(first, cell.find_last_not_of(' ') - first + 1));
}

/// Rows of a table by key, without the backticks around the keys; a key that is there twice has
/// two.
inline std::multimap<std::string, DocRow> doc_table(const std::string& document,
                                                    const std::string& name) {
  Diagnostics diagnostics;
  const auto file = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "docs" / document;
  const std::string text = read_file(file, diagnostics).value_or("");
  diagnostics.throw_if_errors();
  std::multimap<std::string, DocRow> rows;
  const auto begin = text.find(fmt::format("<!-- keys {} -->", name));
  if (begin == std::string::npos) return rows;
  std::string_view table = std::string_view(text).substr(begin);
  table = table.substr(0, table.find("<!-- end of keys -->"));
  while (!table.empty()) {
    std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(table.size(), line.size() + 1));
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (line.remove_prefix(1); !line.empty();) {
      const auto end = line.find('|');
      cells.push_back(trimmed_cell(line.substr(0, end)));
      line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    if (cells.size() < 4) continue;
    rows.emplace(replaced(cells[0], "`", ""), DocRow{cells[1], cells[2], cells[3]});
  }
  return rows;
}

/// What is wrong with a table, a line each, ready to be put into the document; empty: nothing.
/// `prefix` is left out of the paths ("ops[]." of the keys of an op).
inline std::string doc_faults(const std::string& document, const std::string& name,
                              const std::vector<KeyDoc>& keys, std::string_view prefix = "") {
  const auto rows = doc_table(document, name);
  std::string faults;
  std::set<std::string> known;
  for (const KeyDoc& key : keys) {
    if (!key.path.starts_with(prefix)) continue;
    const std::string path = key.path.substr(prefix.size());
    known.insert(path);
    const std::string value = in_doc_words(key, false), otherwise = in_doc_words(key, true);
    const auto row = rows.find(path);
    if (row == rows.end()) {
      faults +=
          fmt::format("missing: | `{}` | {} | {} | {} |\n", path, value, otherwise, key.meaning);
    } else if (row->second.value != value || row->second.default_value != otherwise) {
      faults += fmt::format("outdated: | `{}` | {} | {} | {} |\n", path, value, otherwise,
                            row->second.meaning);
    } else if (row->second.meaning.empty()) {
      faults += fmt::format("without a meaning: {}\n", path);
    }
    if (rows.count(path) > 1) faults += fmt::format("there twice: {}\n", path);
  }
  for (const auto& [path, row] : rows) {
    if (!known.contains(path)) faults += fmt::format("no such key: {}\n", path);
  }
  return faults;
}

}  // namespace tilewave::test
