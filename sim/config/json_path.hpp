// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"

namespace tilewave {

/// `core` + `rows` -> `core.rows`. A key that is no plain word is quoted: `core["a b"]`.
[[nodiscard]] std::string join_key(std::string_view path, std::string_view key);
/// `ops` + 3 -> `ops[3]`.
[[nodiscard]] std::string join_index(std::string_view path, std::size_t index);

/// One step of a path as a user writes it.
struct PathStep {
  std::string key;            ///< the text between the points or brackets
  bool in_brackets = false;   ///< `[2]`: an array index; a plain `2` may be an index or a key
  std::size_t index = 0;      ///< value of an all-digit key
  bool may_be_index = false;  ///< the key is all digits
};

/// Steps of `core.matrix_unit.rows`, `ops[2].m` or `ops.2.m`; nothing if that is not a path.
[[nodiscard]] std::optional<std::vector<PathStep>> parse_path(std::string_view path);

/// The value at `path`, or nullptr if there is none (or `path` is not a path).
[[nodiscard]] const Json* find_value(const Json& root, std::string_view path);

/// A JSON value on one line for a message, shortened to about `limit` characters.
[[nodiscard]] std::string shown(const Json& value, std::size_t limit = 40);
/// Text in double quotes, escaped as in JSON, shortened to about `limit` characters.
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t limit = 40);
/// The value with its type, as after "is": `2.5`, `the string "abc"`, `the array [1,2]`, `null`.
[[nodiscard]] std::string shown_with_type(const Json& value);

}  // namespace tilewave
