// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"

namespace tilewave {

/// How many operands a function of expressions takes: at least, at most.
struct FunctionArity {
  std::size_t least = 1;
  std::size_t most = 1;
};
/// Nothing: there is no such function.
[[nodiscard]] std::optional<FunctionArity> function_arity(std::string_view name);
/// "min, max, …".
[[nodiscard]] std::string function_names();

/// An operator ("+", "<=", "!", unary "neg") or function on its values, of which there are as many as it takes.
/// Throws ExpressionError.
[[nodiscard]] Json apply_operator(const std::string& word, const std::vector<Json>& operands);

/// A value for a message: `the string "abc"`, `2.5`.
[[nodiscard]] std::string in_words(const Json& value);

}  // namespace tilewave
