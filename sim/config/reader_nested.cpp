// SPDX-License-Identifier: Apache-2.0
// ObjectReader's getters of objects, arrays and maps.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/reader.hpp"
#include "sim/config/reader_detail.hpp"

namespace tilewave {
namespace {

/// "an array of 2 integers", "an array of at least 1 objects", "an array of strings".
std::string array_of(const Range& length, std::string_view items) {
  if (length.min == length.max) {
    return fmt::format("an array of {} {}", length.min, items);
  }
  if (length.max != kMaxCount) {
    return fmt::format("an array of {} to {} {}", length.min, length.max, items);
  }
  return length.min == 0 ? fmt::format("an array of {}", items)
                         : fmt::format("an array of at least {} {}", length.min, items);
}

/// Kind of value and its length where that may be the fault.
std::string shown_with_length(const Json& value) {
  return value.is_array() ? fmt::format("an array of {}: {}", value.size(), shown(value))
                          : shown_with_type(value);
}

std::string plural(const std::string& one_item) {
  // "an integer from 1 to 8" -> "integers from 1 to 8"
  const std::string item = one_item.substr(one_item.find(' ') + 1);
  const std::size_t noun_end = std::min(item.find(' '), item.size());
  return item.substr(0, noun_end) + 's' + item.substr(noun_end);
}

}  // namespace

template <typename T, typename Check>
std::optional<std::vector<T>> ObjectReader::read_array(std::string_view key, bool required,
                                                       Range length, std::string_view items,
                                                       std::string_view default_value,
                                                       std::string_view meaning, T harmless,
                                                       Check&& check) {
  const auto expects = [&] { return array_of(length, items); };
  const Json* value =
      ask(key, required, meaning, expects, [&] { return std::string(default_value); });
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_array() || !length.contains(value->size())) {
    error(key, fmt::format("must be {}, is {}", expects(), shown_with_length(*value)));
    return std::nullopt;
  }
  std::vector<T> out;
  for (std::size_t i = 0; i < value->size(); ++i) {
    Checked<T> checked = check((*value)[i]);
    if (checked.value) {
      out.push_back(std::move(*checked.value));
    } else {
      error_at(join_index(path_of(key), i), std::move(checked.fault));
      out.push_back(harmless);
    }
  }
  return out;
}

// 1. Objects within.

std::optional<ObjectReader> ObjectReader::read_object(std::string_view key, bool required,
                                                      std::string_view meaning) {
  const Json* value = ask(
      key, required, meaning, [] { return std::string("an object"); }, no_default);
  if (value == nullptr && !required) {
    return std::nullopt;
  }
  if (value != nullptr && !value->is_object()) {
    error(key, fmt::format("must be an object, is {}", shown_with_type(*value)));
    value = nullptr;
  }
  return ObjectReader(source_, value, path_of(key));
}

ObjectReader ObjectReader::object(std::string_view key, std::string_view meaning) {
  return *read_object(key, true, meaning);
}

ObjectReader ObjectReader::optional_object(std::string_view key, std::string_view meaning) {
  static const Json empty = Json::object();
  auto reader = read_object(key, false, meaning);
  if (reader) {
    return std::move(*reader);
  }
  return {source_, object_ == nullptr ? nullptr : &empty, path_of(key)};
}

std::optional<ObjectReader> ObjectReader::maybe_object(std::string_view key,
                                                       std::string_view meaning) {
  return read_object(key, false, meaning);
}

std::vector<ObjectReader> ObjectReader::read_objects(std::string_view key, bool required,
                                                     Range length, std::string_view meaning) {
  const auto expects = [&] { return array_of(length, "objects"); };
  const Json* value = ask(key, required, meaning, expects, no_default);
  std::vector<ObjectReader> readers;
  if (value == nullptr) {
    return readers;
  }
  if (!value->is_array() || !length.contains(value->size())) {
    error(key, fmt::format("must be {}, is {}", expects(), shown_with_length(*value)));
    return readers;
  }
  const std::string path = path_of(key);
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Json& element = (*value)[i];
    if (element.is_object()) {
      readers.push_back(ObjectReader(source_, &element, join_index(path, i)));
    } else {
      error_at(join_index(path, i),
               fmt::format("must be an object, is {}", shown_with_type(element)));
    }
  }
  return readers;
}

std::vector<ObjectReader> ObjectReader::objects(std::string_view key, Range length,
                                                std::string_view meaning) {
  return read_objects(key, true, length, meaning);
}

std::vector<ObjectReader> ObjectReader::optional_objects(std::string_view key,
                                                         std::string_view meaning) {
  return read_objects(key, false, {}, meaning);
}

std::vector<std::pair<std::string, ObjectReader>> ObjectReader::read_object_map(
    std::string_view key, bool required, std::string_view meaning) {
  const auto outer = read_object(key, required, meaning);
  std::vector<std::pair<std::string, ObjectReader>> readers;
  if (!outer || outer->object_ == nullptr) {
    return readers;
  }
  for (const auto& [name, element] : outer->object_->items()) {
    if (is_note(name)) {
      continue;
    }
    const std::string path = join_key(outer->path_, name);
    if (element.is_object()) {
      readers.emplace_back(name, ObjectReader(source_, &element, path));
    } else {
      error_at(path, fmt::format("must be an object, is {}", shown_with_type(element)));
    }
  }
  return readers;
}

std::vector<std::pair<std::string, ObjectReader>> ObjectReader::object_map(
    std::string_view key, std::string_view meaning) {
  return read_object_map(key, true, meaning);
}

std::vector<std::pair<std::string, ObjectReader>> ObjectReader::optional_object_map(
    std::string_view key, std::string_view meaning) {
  return read_object_map(key, false, meaning);
}

// 2. Arrays and maps of values.

std::vector<Count> ObjectReader::counts(std::string_view key, Range length, Range range,
                                        std::string_view meaning) {
  return read_array<Count>(key, true, length, plural(integer_in(range)), "", meaning, range.min,
                           [&](const Json& value) { return check_count(value, range); })
      .value_or(std::vector<Count>(length.min, range.min));
}

std::vector<Count> ObjectReader::optional_counts(std::string_view key,
                                                 std::vector<Count> default_value, Range length,
                                                 Range range, std::string_view meaning) {
  return read_array<Count>(key, false, length, plural(integer_in(range)),
                           fmt::format("[{}]", comma_list(default_value)), meaning, range.min,
                           [&](const Json& value) { return check_count(value, range); })
      .value_or(std::move(default_value));
}

std::vector<double> ObjectReader::numbers(std::string_view key, Range length, RealRange range,
                                          std::string_view meaning) {
  return read_array<double>(key, true, length, plural(number_in(range)), "", meaning,
                            range.some_value(),
                            [&](const Json& value) { return check_number(value, range); })
      .value_or(std::vector<double>(length.min, range.some_value()));
}

std::vector<std::string> ObjectReader::optional_texts(std::string_view key,
                                                      std::string_view meaning) {
  return read_array<std::string>(key, false, {}, "strings", "[]", meaning, "", check_text)
      .value_or(std::vector<std::string>{});
}

std::vector<std::size_t> ObjectReader::choose_each(std::string_view key,
                                                   const std::vector<std::string_view>& names,
                                                   std::string_view meaning) {
  return read_array<std::size_t>(key, false, {}, fmt::format("names out of {}", comma_list(names)),
                                 "[]", meaning, 0,
                                 [&](const Json& value) { return check_choice(value, names); })
      .value_or(std::vector<std::size_t>{});
}

std::vector<std::pair<std::string, double>> ObjectReader::read_number_map(
    std::string_view key, bool required, std::span<const std::string_view> names, RealRange range,
    std::string_view meaning) {
  const auto expects = [&] {
    return fmt::format("an object of {}{}", plural(number_in(range)),
                       names.empty() ? "" : fmt::format(" by {}", comma_list(names)));
  };
  const Json* value = ask(key, required, meaning, expects, no_default);
  std::vector<std::pair<std::string, double>> entries;
  if (value == nullptr) {
    return entries;
  }
  if (!value->is_object() || (required && value->empty())) {
    error(key, fmt::format("must be {}, is {}", expects(), shown_with_type(*value)));
    return entries;
  }
  const std::string path = path_of(key);
  for (const auto& [name, element] : value->items()) {
    if (is_note(name)) {
      continue;
    }
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string near = suggestion(name, names);
      error_at(
          join_key(path, name),
          "unknown key" + (near.empty() ? fmt::format("; may be {}", comma_list(names)) : near));
      continue;
    }
    Checked<double> checked = check_number(element, range);
    if (!checked.value) {
      error_at(join_key(path, name), std::move(checked.fault));
    }
    entries.emplace_back(name, checked.value.value_or(range.some_value()));
  }
  return entries;
}

std::vector<std::pair<std::string, double>> ObjectReader::number_map(
    std::string_view key, std::span<const std::string_view> names, RealRange range,
    std::string_view meaning) {
  return read_number_map(key, true, names, range, meaning);
}

std::vector<std::pair<std::string, double>> ObjectReader::optional_number_map(
    std::string_view key, std::span<const std::string_view> names, RealRange range,
    std::string_view meaning) {
  return read_number_map(key, false, names, range, meaning);
}

const Json* ObjectReader::maybe_any(std::string_view key, std::string_view meaning) {
  return ask(
      key, false, meaning, [] { return std::string("any value"); }, no_default);
}

}  // namespace tilewave
