// SPDX-License-Identifier: Apache-2.0
#include "sim/config/json_path.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>

namespace tilewave {
namespace {

constexpr std::size_t kLongestPlainKey = 60;
constexpr std::string_view kCut = "...";

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '+';
}

bool is_plain_key(std::string_view key) {
  return !key.empty() && key.size() <= kLongestPlainKey &&
         std::all_of(key.begin(), key.end(), is_word_character);
}

std::optional<std::size_t> to_index(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// At most `limit` bytes of UTF-8 text, not cut inside a character.
std::string_view cut_utf8(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) {
    --limit;
  }
  return text.substr(0, limit);
}

/// Appends `value` until `out` is over `limit`: bounded work for values of any size and depth, as
/// each level of nesting adds a character.
void append_shown(std::string& out, const Json& value, std::size_t limit) {
  if (out.size() > limit) {
    return;
  }
  if (value.is_array()) {
    out += '[';
    for (std::size_t i = 0; i < value.size() && out.size() <= limit; ++i) {
      out += i == 0 ? "" : ",";
      append_shown(out, value[i], limit);
    }
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    for (auto it = value.begin(); it != value.end() && out.size() <= limit; ++it) {
      out += it == value.begin() ? "" : ",";
      out += in_quotes(it.key(), limit) + ':';
      append_shown(out, it.value(), limit);
    }
    out += '}';
  } else if (value.is_string()) {
    out += in_quotes(value.get_ref<const std::string&>(), limit);
  } else if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    out += fmt::format("{}", value.get<double>());
  } else {
    out += value.dump();
  }
}

}  // namespace

std::string join_key(std::string_view path, std::string_view key) {
  if (!is_plain_key(key)) {
    return fmt::format("{}[{}]", path, in_quotes(key));
  }
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string join_index(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

std::optional<std::vector<PathStep>> parse_path(std::string_view path) {
  std::vector<PathStep> steps;
  std::size_t at = 0;
  while (at < path.size()) {
    PathStep step;
    if (path[at] == '[') {
      const std::size_t close = path.find(']', at);
      if (close == std::string_view::npos) {
        return std::nullopt;
      }
      step.key = std::string(path.substr(at + 1, close - at - 1));
      step.in_brackets = true;
      at = close + 1;
    } else {
      if (!steps.empty()) {
        if (path[at] != '.') {
          return std::nullopt;  // as in `ops[2]m`
        }
        ++at;
      }
      const std::size_t end = std::min(path.find_first_of(".[]", at), path.size());
      step.key = std::string(path.substr(at, end - at));
      at = end;
    }
    const auto index = to_index(step.key);
    if (step.key.empty() || (step.in_brackets && !index)) {
      return std::nullopt;
    }
    step.may_be_index = index.has_value();
    step.index = index.value_or(0);
    steps.push_back(std::move(step));
  }
  if (steps.empty()) {
    return std::nullopt;
  }
  return steps;
}

const Json* find_value(const Json& root, std::string_view path) {
  const auto steps = parse_path(path);
  if (!steps) {
    return nullptr;
  }
  const Json* node = &root;
  for (const PathStep& step : *steps) {
    if (node->is_array() && step.may_be_index && step.index < node->size()) {
      node = &(*node)[step.index];
    } else if (node->is_object() && !step.in_brackets) {
      const auto it = node->find(step.key);
      if (it == node->end()) {
        return nullptr;
      }
      node = &*it;
    } else {
      return nullptr;
    }
  }
  return node;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  const std::string_view kept = cut_utf8(text, limit);
  // Text from elsewhere than a file (a command line, Python) may not be UTF-8: shown as U+FFFD.
  std::string out = Json(std::string(kept)).dump(-1, ' ', false, Json::error_handler_t::replace);
  if (kept.size() < text.size()) {
    out.insert(out.size() - 1, kCut);
  }
  return out;
}

std::string shown(const Json& value, std::size_t limit) {
  if (value.is_string()) {
    return in_quotes(value.get_ref<const std::string&>(), limit);
  }
  std::string out;
  append_shown(out, value, limit);
  if (out.size() > limit) {
    out = std::string(cut_utf8(out, limit)) + std::string(kCut);
  }
  return out;
}

std::string shown_with_type(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return "the string " + shown(value);
    case Json::value_t::array:
      return "the array " + shown(value);
    case Json::value_t::object:
      return "the object " + shown(value);
    default:
      return shown(value);
  }
}

}  // namespace tilewave
