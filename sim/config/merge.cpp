// SPDX-License-Identifier: Apache-2.0
#include "sim/config/merge.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/text_file.hpp"
#include "sim/config/values.hpp"

namespace tilewave {
namespace {

/// Before `key` is set in `object`: if it is a capacity, removes the same capacity in other units.
void remove_other_units(Json& object, std::string_view key) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (!key.ends_with(unit.suffix)) {
      continue;
    }
    const std::string stem(key.substr(0, key.size() - unit.suffix.size()));
    for (const SizeUnit& other : kSizeUnits) {
      if (other.suffix != unit.suffix) {
        object.erase(stem + std::string(other.suffix));
      }
    }
  }
}

void merge_into(Json& base, const Json& overlay) {
  if (!overlay.is_object()) {
    base = overlay;
    return;
  }
  if (!base.is_object()) {
    base = Json::object();
  }
  for (const auto& [key, value] : overlay.items()) {
    if (value.is_null()) {
      base.erase(key);
    } else {
      remove_other_units(base, key);
    }
  }
  for (const auto& [key, value] : overlay.items()) {
    if (!value.is_null()) {
      merge_into(base[key], value);
    }
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Why there is no place for `step` in `node`, whose path is `path`; empty if there is one.
std::string why_no_place(const Json& node, const std::string& path, const PathStep& step) {
  const std::string name = path.empty() ? "the file" : path;
  if (node.is_array()) {
    if (!step.may_be_index) {
      return fmt::format("{} is an array; {} is no index", name, in_quotes(step.key));
    }
    return step.index < node.size() ? ""
                                    : fmt::format("{} has {} elements, counted from 0: no [{}]",
                                                  name, node.size(), step.key);
  }
  if (step.in_brackets) {
    return fmt::format("{} is no array", name);
  }
  return node.is_object() || node.is_null()
             ? ""
             : fmt::format("{} is {}, not an object", name, shown_with_type(node));
}

}  // namespace

Json deep_merge(Json base, const Json& overlay) {
  merge_into(base, overlay);
  return base;
}

bool set_value(Json& root, std::string_view path, Json value, Diagnostics& diagnostics,
               const std::string& document, const std::string& label) {
  const auto steps = parse_path(path);
  if (!steps) {
    diagnostics.error(label, "",
                      fmt::format("{} is no path; write it as core.matrix_unit.rows or ops[2].m",
                                  in_quotes(path)));
    return false;
  }
  Json* node = &root;
  std::string reached;
  for (std::size_t i = 0; i < steps->size(); ++i) {
    const PathStep& step = (*steps)[i];
    const bool is_last = i + 1 == steps->size();
    const std::string fault = why_no_place(*node, reached, step);
    if (!fault.empty()) {
      diagnostics.error(label, std::string(path), fault);
      return false;
    }
    if (node->is_array()) {
      reached = join_index(reached, step.index);
      node = &(*node)[step.index];
      continue;
    }
    reached = join_key(reached, step.key);
    if (node->is_null()) {
      *node = Json::object();
    }
    if (is_last && value.is_null()) {
      node->erase(step.key);
      node = nullptr;
      break;
    }
    if (is_last) {
      remove_other_units(*node, step.key);
    }
    node = &(*node)[step.key];  // made if it is not there
  }
  if (node != nullptr) {
    *node = std::move(value);
  }
  if (!document.empty()) {
    diagnostics.set_origin(document, reached, label);
  }
  return true;
}

bool set_path(Json& root, std::string_view assignment, Diagnostics& diagnostics,
              const std::string& document, const std::string& label) {
  if (!check_utf8(assignment, label, diagnostics)) {
    return false;
  }
  const std::size_t equals = assignment.find('=');
  const std::string_view path = trimmed(assignment.substr(0, equals));
  if (equals == std::string_view::npos || path.empty()) {
    diagnostics.error(label, "",
                      fmt::format("{} is not PATH=VALUE: there is no {}", in_quotes(assignment),
                                  equals == std::string_view::npos ? "'='" : "path"));
    return false;
  }
  const std::string_view text = trimmed(assignment.substr(equals + 1));
  Diagnostics parse_faults;
  std::optional<Json> value;
  if (!text.empty()) {
    value = parse_json(text, label, parse_faults);
  }
  const bool meant_as_json =
      text.starts_with('{') || text.starts_with('[') || text.starts_with('"');
  if (!parse_faults.ok() && (value || meant_as_json)) {
    for (const Fault& fault : parse_faults.errors()) {
      diagnostics.error(label, std::string(path),
                        fmt::format("the value {}: {}", in_quotes(text), fault.message));
    }
    return false;
  }
  return set_value(root, path, value ? std::move(*value) : Json(std::string(text)), diagnostics,
                   document, label);
}

}  // namespace tilewave
