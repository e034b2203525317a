// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/expression_operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/sweep/expression.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
constexpr std::array<std::pair<std::string_view, FunctionArity>, 9> kFunctions{
    {{"min", {1, kAnyNumber}},
     {"max", {1, kAnyNumber}},
     {"abs", {1, 1}},
     {"floor", {1, 1}},
     {"ceil", {1, 1}},
     {"round", {1, 1}},
     {"sqrt", {1, 1}},
     {"log2", {1, 1}},
     {"pow", {2, 2}}}};

double number(const Json& value, const std::string& word) {
  if (value.is_number()) return value.get<double>();
  throw ExpressionError(
      fmt::format("{} wants numbers, not {}", word == "neg" ? "-" : word, in_words(value)));
}

/// A whole number of at most 64 bits; nothing: a real one.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return std::nullopt;
  }
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

Json real(double value, const std::string& word) {
  if (std::isfinite(value)) return value;
  throw ExpressionError(fmt::format("{} gives no finite number", word));
}

/// Sums and products of whole numbers; nothing: too large for 64 bits.
std::optional<std::int64_t> exact(char op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = op == '+'   ? __builtin_add_overflow(a, b, &result)
                         : op == '-' ? __builtin_sub_overflow(a, b, &result)
                                     : __builtin_mul_overflow(a, b, &result);
  return overflows ? std::nullopt : std::optional(result);
}

Json arithmetic(const std::string& word, const Json& left, const Json& right) {
  const double a = number(left, word), b = number(right, word);
  const auto m = whole(left), n = whole(right);
  const bool whole_both = m.has_value() && n.has_value();
  const char op = word.front();
  if (op == '/' || op == '%') {
    if (b == 0) throw ExpressionError("division by zero");
    if (op == '%') {
      if (!whole_both) throw ExpressionError("% wants whole numbers");
      return *n == -1 ? Json(0) : Json(*m % *n);
    }
    const bool divides = whole_both && *n != -1 && *m % *n == 0;
    return divides ? Json(*m / *n) : real(a / b, word);
  }
  if (whole_both) {
    if (const auto result = exact(op, *m, *n)) return *result;
  }
  return real(op == '+' ? a + b : op == '-' ? a - b : a * b, word);
}

bool same_kind(const Json& a, const Json& b) {
  return (a.is_number() && b.is_number()) || (a.is_string() && b.is_string()) ||
         (a.is_boolean() && b.is_boolean());
}

Json compare(const std::string& word, const Json& a, const Json& b) {
  if (!same_kind(a, b)) {
    throw ExpressionError(
        fmt::format("{} cannot compare {} with {}", word, in_words(a), in_words(b)));
  }
  if (word == "==") return a == b;
  if (word == "!=") return a != b;
  if (a.is_boolean()) throw ExpressionError(fmt::format("{} wants numbers or strings", word));
  if (word == "<") return a < b;
  if (word == "<=") return a <= b;
  return word == ">" ? b < a : b <= a;
}

/// The nearest whole number by floor, ceil or round.
Json to_whole(const std::string& word, double value) {
  const double result = word == "floor"  ? std::floor(value)
                        : word == "ceil" ? std::ceil(value)
                                         : std::round(value);
  constexpr double kLimit = 9007199254740992.0;  // 2^53: beyond, a double is whole as it is
  return std::abs(result) <= kLimit ? Json(static_cast<std::int64_t>(result)) : real(result, word);
}

Json call(const std::string& word, const std::vector<Json>& operands) {
  const double first = number(operands.front(), word);
  if (word == "min" || word == "max") {
    const Json* best = &operands.front();
    for (const Json& operand : operands) {
      const double value = number(operand, word), so_far = number(*best, word);
      if (word == "min" ? value < so_far : value > so_far) best = &operand;
    }
    return *best;
  }
  if (word == "floor" || word == "ceil" || word == "round") return to_whole(word, first);
  if (word == "abs" || word == "neg") {
    if (const auto n = whole(operands.front());
        n && *n != std::numeric_limits<std::int64_t>::min()) {
      return word == "abs" ? std::abs(*n) : -*n;
    }
    return word == "abs" ? std::abs(first) : -first;
  }
  if (word == "sqrt") return real(std::sqrt(first), word);
  if (word == "log2") return real(std::log2(first), word);
  const double power = std::pow(first, number(operands[1], word));
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool is_whole = whole(operands[0]) && whole(operands[1]) && std::abs(power) <= kExact &&
                        power == std::floor(power);
  return is_whole ? Json(static_cast<std::int64_t>(power)) : real(power, word);
}

}  // namespace

std::optional<FunctionArity> function_arity(std::string_view name) {
  const auto* const found =
      std::ranges::find(kFunctions, name, [](const auto& f) { return f.first; });
  return found == kFunctions.end() ? std::nullopt : std::optional(found->second);
}

std::string function_names() {
  std::string names;
  for (const auto& [name, arity] : kFunctions) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

std::string in_words(const Json& value) { return shown_with_type(value); }

Json apply_operator(const std::string& word, const std::vector<Json>& operands) {
  if (word == "!") {
    if (operands.front().is_boolean()) return !operands.front().get<bool>();
    throw ExpressionError(fmt::format("! wants true or false, not {}", in_words(operands.front())));
  }
  if (word == "+" || word == "-" || word == "*" || word == "/" || word == "%") {
    return arithmetic(word, operands[0], operands[1]);
  }
  if (word == "neg" || function_arity(word)) return call(word, operands);
  return compare(word, operands[0], operands[1]);
}

}  // namespace tilewave
