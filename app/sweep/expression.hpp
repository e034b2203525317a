// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"

namespace tilewave {

/// What is wrong with an expression, or with the values it met.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A small expression over named values, as in a sweep file:
///
///   core.matrix_unit.rows * core.matrix_unit.cols <= 65536 && arch != 'tpu_v1'
///
/// Values are numbers, strings and booleans. Names are JSON paths (`total.cycles`, `ops[2].m`).
/// Whole numbers stay whole: 64 * 2 is 128, 128 / 2 is 64, 1 / 2 is 0.5; a sum or product beyond 64
/// bits becomes a real number. From loose to tight: `c ? a : b`, `||`, `&&`, comparisons, `+ -`,
/// `* / %`, `- !`. Functions: min, max, abs, floor, ceil, round, sqrt, log2, pow.
class Expression {
 public:
  /// The value of a name, or nullptr if there is none.
  using Lookup = std::function<const Json*(const std::string& name)>;

  static constexpr std::size_t kMaxCharacters = 4096;

  /// Throws ExpressionError, which tells the place.
  explicit Expression(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Each name once, in the order written.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  /// Throws ExpressionError: a name without a value, a type that does not suit, a division by zero.
  [[nodiscard]] Json evaluate(const Lookup& lookup) const;
  /// evaluate() of a condition: what is not true or false is an error.
  [[nodiscard]] bool holds(const Lookup& lookup) const;

 private:
  friend class ExpressionParser;
  friend class ExpressionRun;

  struct Node {
    std::string word;  ///< operator, function, name; empty: a constant
    Json value;
    std::vector<std::size_t> operands;
    bool is_name = false;
  };

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Node> nodes_;  ///< operands come before what uses them; the last is the root
};

}  // namespace tilewave
