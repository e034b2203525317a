// SPDX-License-Identifier: Apache-2.0
#include "sim/config/reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/config/reader_detail.hpp"

namespace tilewave {
namespace {

std::string one_of(std::span<const std::string_view> names) {
  return fmt::format("one of {}", comma_list(names));
}

}  // namespace

ObjectReader::ObjectReader(const Json& object, std::string file, std::string path,
                           Diagnostics& diagnostics, KeyDocs* docs)
    : ObjectReader(std::make_shared<const Source>(Source{std::move(file), &diagnostics, docs}),
                   object.is_object() ? &object : nullptr, std::move(path)) {
  if (!object.is_object()) {
    error_at(path_, fmt::format("must be an object, is {}", shown_with_type(object)));
  }
}

ObjectReader::ObjectReader(std::shared_ptr<const Source> source, const Json* object,
                           std::string path)
    : source_(std::move(source)),
      object_(object),
      path_(std::move(path)),
      error_calls_before_(source_->diagnostics->error_calls()) {}

// 1. The common parts.

template <typename T, typename Expects, typename Default, typename Check>
std::optional<T> ObjectReader::read(std::string_view key, bool required, std::string_view meaning,
                                    Expects&& expects, Default&& default_value, Check&& check) {
  const Json* value = ask(key, required, meaning, expects, default_value);
  if (value == nullptr) {
    return std::nullopt;
  }
  Checked<T> checked = check(*value);
  if (!checked.value) {
    error(key, std::move(checked.fault));
  }
  return std::move(checked.value);
}

// 2. Numbers, flags, names.

Count ObjectReader::count(std::string_view key, Range range, std::string_view meaning) {
  return read<Count>(
             key, true, meaning, [&] { return integer_in(range); }, no_default,
             [&](const Json& value) { return check_count(value, range); })
      .value_or(range.min);
}

Count ObjectReader::optional_count(std::string_view key, Count default_value, Range range,
                                   std::string_view meaning) {
  return read<Count>(
             key, false, meaning, [&] { return integer_in(range); },
             [&] { return fmt::format("{}", default_value); },
             [&](const Json& value) { return check_count(value, range); })
      .value_or(default_value);
}

std::optional<Count> ObjectReader::maybe_count(std::string_view key, Range range,
                                               std::string_view meaning) {
  return read<Count>(
      key, false, meaning, [&] { return integer_in(range); }, no_default,
      [&](const Json& value) { return check_count(value, range); });
}

double ObjectReader::number(std::string_view key, RealRange range, std::string_view meaning) {
  return read<double>(
             key, true, meaning, [&] { return number_in(range); }, no_default,
             [&](const Json& value) { return check_number(value, range); })
      .value_or(range.some_value());
}

double ObjectReader::optional_number(std::string_view key, double default_value, RealRange range,
                                     std::string_view meaning) {
  return read<double>(
             key, false, meaning, [&] { return number_in(range); },
             [&] { return fmt::format("{}", default_value); },
             [&](const Json& value) { return check_number(value, range); })
      .value_or(default_value);
}

std::optional<double> ObjectReader::maybe_number(std::string_view key, RealRange range,
                                                 std::string_view meaning) {
  return read<double>(
      key, false, meaning, [&] { return number_in(range); }, no_default,
      [&](const Json& value) { return check_number(value, range); });
}

bool ObjectReader::flag(std::string_view key, std::string_view meaning) {
  return read<bool>(
             key, true, meaning, [] { return std::string("true or false"); }, no_default,
             check_flag)
      .value_or(false);
}

bool ObjectReader::optional_flag(std::string_view key, bool default_value,
                                 std::string_view meaning) {
  return read<bool>(
             key, false, meaning, [] { return std::string("true or false"); },
             [&] { return std::string(default_value ? "true" : "false"); }, check_flag)
      .value_or(default_value);
}

std::string ObjectReader::text(std::string_view key, std::string_view meaning) {
  return read<std::string>(
             key, true, meaning, [] { return std::string("a string"); }, no_default, check_text)
      .value_or("");
}

std::string ObjectReader::optional_text(std::string_view key, std::string_view default_value,
                                        std::string_view meaning) {
  return read<std::string>(
             key, false, meaning, [] { return std::string("a string"); },
             [&] { return in_quotes(default_value); }, check_text)
      .value_or(std::string(default_value));
}

std::size_t ObjectReader::choose(std::string_view key, const std::vector<std::string_view>& names,
                                 std::string_view meaning) {
  return read<std::size_t>(
             key, true, meaning, [&] { return one_of(names); }, no_default,
             [&](const Json& value) { return check_choice(value, names); })
      .value_or(0);
}

std::optional<std::size_t> ObjectReader::choose_or(std::string_view key,
                                                   std::string_view default_name,
                                                   const std::vector<std::string_view>& names,
                                                   std::string_view meaning) {
  return read<std::size_t>(
      key, false, meaning, [&] { return one_of(names); }, [&] { return in_quotes(default_name); },
      [&](const Json& value) { return check_choice(value, names); });
}

// 3. Capacities: one quantity, a choice of units.

std::optional<Bytes> ObjectReader::read_capacity(std::string_view stem, bool required, Range range,
                                                 std::string_view default_value,
                                                 std::string_view meaning) {
  std::vector<std::string> keys;
  std::optional<std::size_t> given;
  for (std::size_t i = 0; i < kSizeUnits.size(); ++i) {
    keys.push_back(fmt::format("{}{}", stem, kSizeUnits[i].suffix));
    know(keys.back());
    if (!has(keys.back())) {
      continue;
    }
    if (given) {
      error(keys[i], fmt::format("{} is given too; one of the two must go", keys[*given]));
      return std::nullopt;
    }
    given = i;
  }
  if (source_->docs != nullptr) {
    source_->docs->add(
        {path_of(fmt::format("{}_kib", stem)),
         fmt::format("{} bytes; also as {}, {} or {}", range.text(), keys[0], keys[2], keys[3]),
         std::string(default_value), required, std::string(meaning)});
  }
  if (!given) {
    if (required && object_ != nullptr) {
      report_missing(keys, path_,
                     fmt::format("one of {} is missing: {} bytes ({})", comma_list(keys),
                                 range.text(), meaning));
    }
    return std::nullopt;
  }
  Checked<Bytes> checked = check_size(*find(keys[*given]), kSizeUnits[*given], range);
  if (!checked.value) {
    error(keys[*given], std::move(checked.fault));
  }
  return checked.value;
}

Bytes ObjectReader::capacity(std::string_view stem, Range range, std::string_view meaning) {
  return read_capacity(stem, true, range, "", meaning).value_or(range.min);
}

Bytes ObjectReader::optional_capacity(std::string_view stem, Bytes default_value, Range range,
                                      std::string_view meaning) {
  return read_capacity(stem, false, range, fmt::format("{} bytes", default_value), meaning)
      .value_or(default_value);
}

std::optional<Bytes> ObjectReader::maybe_capacity(std::string_view stem, Range range,
                                                  std::string_view meaning) {
  return read_capacity(stem, false, range, "", meaning);
}

// 4. Keys.

void ObjectReader::finish() {
  if (object_ == nullptr) {
    return;
  }
  for (const auto& [key, value] : object_->items()) {
    if (is_note(key) || std::find(known_.begin(), known_.end(), key) != known_.end()) {
      continue;
    }
    if (source_->diagnostics->errors().size() >= Diagnostics::kMaxKept) {
      error_at(path_, "unknown key");  // counted, not shown
      continue;
    }
    // A misspelt key is one fault, not two: "is missing" goes where this explains it.
    std::optional<std::string> nearest;
    for (auto it = missing_.begin(); it != missing_.end(); ++it) {
      nearest = nearest_name(key, it->keys);
      if (nearest) {
        source_->diagnostics->retract_error(it->fault);
        missing_.erase(it);
        break;
      }
    }
    if (!nearest) {
      nearest = nearest_name(key, known_);
    }
    error_at(join_key(path_, key),
             nearest ? fmt::format("unknown key; did you mean \"{}\"?", *nearest)
                     : fmt::format("unknown key; known are {}", comma_list(known_)));
  }
}

bool ObjectReader::has(std::string_view key) const { return find(key) != nullptr; }

bool ObjectReader::ok() const {
  return object_ != nullptr && source_->diagnostics->error_calls() == error_calls_before_;
}

void ObjectReader::error(std::string_view key, std::string message) {
  error_at(path_of(key), std::move(message));
}

void ObjectReader::warning(std::string_view key, std::string message) {
  source_->diagnostics->warning(source_->file, path_of(key), std::move(message));
}

void ObjectReader::no_effect(std::string_view key, std::string_view reason) {
  if (has(key) && source_->diagnostics->origin(source_->file, path_of(key)) == kOverrideLabel) {
    warning(key, fmt::format("has no effect: {}", reason));
  }
}

std::string ObjectReader::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  // "throughput.int8" is a value below a key, unless that is the name of one.
  const std::size_t point = key.find('.');
  if (point == std::string_view::npos || find(key) != nullptr) return join_key(path_, key);
  return join_key(join_key(path_, key.substr(0, point)), key.substr(point + 1));
}

const Json* ObjectReader::find(std::string_view key) const {
  if (object_ == nullptr) {
    return nullptr;
  }
  const auto it = object_->find(key);
  return it == object_->end() ? nullptr : &*it;
}

void ObjectReader::know(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.emplace_back(key);
  }
}

void ObjectReader::report_missing(std::vector<std::string> keys, std::string path,
                                  std::string message) {
  const Fault fault{source_->file, std::move(path), std::move(message)};
  source_->diagnostics->error(fault);
  missing_.push_back({std::move(keys), fault});
}

void ObjectReader::error_at(std::string path, std::string message) {
  source_->diagnostics->error(source_->file, std::move(path), std::move(message));
}

}  // namespace tilewave
