// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inside of ObjectReader, for reader*.cpp only.

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sim/config/reader.hpp"

namespace tilewave {

/// Keys that may stand in any object.
inline constexpr std::array<std::string_view, 4> kNoteKeys{"source", "sources", "note", "comment"};

inline bool is_note(std::string_view key) {
  return std::find(kNoteKeys.begin(), kNoteKeys.end(), key) != kNoteKeys.end();
}

/// Default of a key that has none; also stands for "required".
inline std::string no_default() { return {}; }

template <typename Expects, typename Default>
const Json* ObjectReader::ask(std::string_view key, bool required, std::string_view meaning,
                              Expects&& expects, Default&& default_value) {
  know(key);
  if (source_->docs != nullptr) {
    source_->docs->add({path_of(key), expects(), default_value(), required, std::string(meaning)});
  }
  const Json* value = find(key);
  if (value == nullptr && required && object_ != nullptr) {
    report_missing({std::string(key)}, path_of(key),
                   fmt::format("is missing: {} ({})", expects(), meaning));
  }
  return value;
}

}  // namespace tilewave
