// SPDX-License-Identifier: Apache-2.0
#include "app/cli/csv.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

std::string scalar(const Json& value) {
  return value.is_string() ? value.get<std::string>()
         : value.is_null() ? std::string()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What stands in the cell of a value that is no object; nothing for a list of lists, which has no
/// column.
std::optional<std::string> cell_text(const Json& value) {
  if (!value.is_array()) {
    return scalar(value);
  }
  std::string out;
  for (const Json& element : value) {
    if (element.is_structured()) {
      return std::nullopt;
    }
    out += (out.empty() ? "" : " ") + scalar(element);
  }
  return out;
}

/// Gives `columns` all the keys of `layer` that have a cell, objects as objects: keys that are new
/// come behind those of the same object.
void add_columns(const Json& layer, Json& columns) {
  for (const auto& [key, value] : layer.items()) {
    if (value.is_object()) {
      add_columns(value, columns[key]);
    } else if (cell_text(value) && !columns.contains(key)) {
      columns[key] = nullptr;
    }
  }
}

/// Calls visit(path, value of the layer or nullptr) for each column.
template <typename Visit>
void for_each_column(const Json& columns, const Json* layer, const std::string& path,
                     Visit& visit) {
  for (const auto& [key, column] : columns.items()) {
    const std::string here = path.empty() ? key : fmt::format("{}.{}", path, key);
    const Json* value =
        layer != nullptr && layer->is_object() && layer->contains(key) ? &(*layer)[key] : nullptr;
    if (column.is_object()) {
      for_each_column(column, value, here, visit);
    } else {
      visit(path == "breakdown" ? here + "_cycles" : here, value);
    }
  }
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) {
    return std::string(text);
  }
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') {
      out += c;
    }
  }
  return out += '"';
}

std::string layers_csv(const Json& report) {
  static const Json none = Json::array();
  const Json* found = find_value(report, "layers");
  const Json& layers = found != nullptr ? *found : none;
  Json columns = Json::object();
  for (const Json& layer : layers) {
    add_columns(layer, columns);
  }
  std::string out;
  const auto add_line = [&](const Json* layer, auto&& text) {
    bool first = true;
    auto visit = [&](const std::string& name, const Json* value) {
      out += (first ? "" : ",") + csv_cell(text(name, value));
      first = false;
    };
    for_each_column(columns, layer, "", visit);
    out += '\n';
  };
  add_line(nullptr, [](const std::string& name, const Json*) { return name; });
  for (const Json& layer : layers) {
    add_line(&layer, [](const std::string&, const Json* value) {
      return value == nullptr ? std::string() : cell_text(*value).value_or("");
    });
  }
  return out;
}

}  // namespace tilewave
