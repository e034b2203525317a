// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/expression_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <system_error>
#include <utility>
#include <vector>

#include "app/sweep/expression_operators.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

/// Operators by level, the loosest first; of two that begin alike the longer first.
const std::array<std::vector<std::string_view>, 5> kLevels{
    {{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};
constexpr std::size_t kComparisons = 2;
constexpr std::size_t kMostDepth = 100;  ///< of brackets: bounds the recursion

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void ExpressionParser::parse() {
  if (text_.size() > Expression::kMaxCharacters) {
    throw ExpressionError(fmt::format("is longer than {} characters", Expression::kMaxCharacters));
  }
  (void)choice();
  skip_space();
  if (at_ < text_.size()) fail("an operator was expected");
}

std::size_t ExpressionParser::choice() {
  if (++depth_ > kMostDepth) fail("nested too deep");
  const std::size_t condition = chain(0);
  if (!take("?")) {
    --depth_;
    return condition;
  }
  const std::size_t yes = choice();
  expect(":");
  const std::size_t no = choice();
  --depth_;
  return add({.word = "?", .value = {}, .operands = {condition, yes, no}});
}

std::size_t ExpressionParser::chain(std::size_t level) {
  if (level == kLevels.size()) return unary();
  if (level == kComparisons) return comparison(level);
  std::size_t left = chain(level + 1);
  for (std::string op = take_any(kLevels[level]); !op.empty(); op = take_any(kLevels[level])) {
    const std::size_t right = chain(level + 1);
    left = add({.word = op, .value = {}, .operands = {left, right}});
  }
  return left;
}

std::size_t ExpressionParser::comparison(std::size_t level) {
  const std::size_t left = chain(level + 1);
  const std::string op = take_any(kLevels[level]);
  if (op.empty()) return left;
  const std::size_t right = chain(level + 1);
  if (!take_any(kLevels[level]).empty()) fail("comparisons do not chain: write a < b && b < c");
  return add({.word = op, .value = {}, .operands = {left, right}});
}

std::size_t ExpressionParser::unary() {
  if (take("-")) return add({.word = "neg", .value = {}, .operands = {unary()}});
  if (take("!")) return add({.word = "!", .value = {}, .operands = {unary()}});
  return primary();
}

std::size_t ExpressionParser::primary() {
  skip_space();
  if (at_ == text_.size()) fail("a value was expected");
  const char c = text_[at_];
  if (take("(")) {
    const std::size_t inner = choice();
    expect(")");
    return inner;
  }
  if (is_digit(c) || c == '.') return number();
  if (c == '\'' || c == '"') return string();
  if (is_letter(c)) return name_or_call();
  fail("a value was expected");
}

std::size_t ExpressionParser::number() {
  const char* begin = text_.data() + at_;
  const char* end = text_.data() + text_.size();
  std::int64_t whole = 0;
  double real = 0;
  const auto as_whole = std::from_chars(begin, end, whole);
  const auto as_real = std::from_chars(begin, end, real);
  if (as_real.ec != std::errc()) fail("no number");
  const bool is_whole = as_whole.ec == std::errc() && as_whole.ptr == as_real.ptr;
  at_ = static_cast<std::size_t>(as_real.ptr - text_.data());
  if (at_ < text_.size() && is_letter(text_[at_])) fail("no number");
  return add({.word = {}, .value = is_whole ? Json(whole) : Json(real), .operands = {}});
}

std::size_t ExpressionParser::string() {
  const char quote = text_[at_];
  const std::size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) fail("the string does not end");
  std::string text(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return add({.word = {}, .value = std::move(text), .operands = {}});
}

std::size_t ExpressionParser::name_or_call() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '[') {  // an index belongs to the name
      const std::size_t end = text_.find(']', at_);
      const std::string_view index =
          end == std::string_view::npos ? "" : text_.substr(at_ + 1, end - at_ - 1);
      if (index.empty() || !std::ranges::all_of(index, is_digit)) fail("no index");
      at_ = end + 1;
    } else if (is_letter(c) || is_digit(c) || c == '.') {
      ++at_;
    } else {
      break;
    }
  }
  std::string name(text_.substr(begin, at_ - begin));
  if (name == "true" || name == "false") {
    return add({.word = {}, .value = name == "true", .operands = {}});
  }
  if (take("(")) return call(name);
  if (!parse_path(name)) {
    at_ = begin;
    fail("no path");
  }
  if (std::ranges::find(out_.names_, name) == out_.names_.end()) out_.names_.push_back(name);
  return add({.word = std::move(name), .value = {}, .operands = {}, .is_name = true});
}

std::size_t ExpressionParser::call(const std::string& function) {
  const auto arity = function_arity(function);
  if (!arity)
    fail(fmt::format("there is no function {}; there are {}", function, function_names()));
  Expression::Node node{.word = function, .value = {}, .operands = {choice()}};
  while (take(",")) node.operands.push_back(choice());
  expect(")");
  if (node.operands.size() < arity->least || node.operands.size() > arity->most) {
    fail(fmt::format("{} takes {} value{}", function, arity->least, arity->least == 1 ? "" : "s"));
  }
  return add(std::move(node));
}

std::size_t ExpressionParser::add(Expression::Node node) {
  out_.nodes_.push_back(std::move(node));
  return out_.nodes_.size() - 1;
}

std::string ExpressionParser::take_any(std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    if (take(word)) return std::string(word);
  }
  return {};
}

bool ExpressionParser::take(std::string_view word) {
  skip_space();
  const bool here = text_.substr(at_).starts_with(word);
  if (here && word == "!" && text_.substr(at_).starts_with("!=")) return false;
  at_ += here ? word.size() : 0;
  return here;
}

void ExpressionParser::expect(std::string_view word) {
  if (!take(word)) fail(fmt::format("{} was expected", in_quotes(word)));
}

void ExpressionParser::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

void ExpressionParser::fail(const std::string& message) const {
  if (at_ >= text_.size()) throw ExpressionError(fmt::format("at its end: {}", message));
  throw ExpressionError(
      fmt::format("at character {}, {}: {}", at_ + 1, in_quotes(text_.substr(at_, 12)), message));
}

}  // namespace tilewave
