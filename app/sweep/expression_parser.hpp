// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "app/sweep/expression.hpp"

namespace tilewave {

/// Fills an Expression from its text: recursive descent, a function a level of precedence.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression& out) : text_(text), out_(out) {}
  /// Throws ExpressionError.
  void parse();

 private:
  std::size_t choice();
  /// Left to right, operators of one level.
  std::size_t chain(std::size_t level);
  std::size_t comparison(std::size_t level);
  std::size_t unary();
  std::size_t primary();
  std::size_t number();
  std::size_t string();
  std::size_t name_or_call();
  std::size_t call(const std::string& function);

  std::size_t add(Expression::Node node);
  /// The first of `words` that stands here, taken; empty: none.
  std::string take_any(std::span<const std::string_view> words);
  bool take(std::string_view word);
  void expect(std::string_view word);
  void skip_space();
  [[noreturn]] void fail(const std::string& message) const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  Expression& out_;
};

}  // namespace tilewave
