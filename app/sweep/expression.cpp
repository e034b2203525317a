// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/expression.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "app/sweep/expression_operators.hpp"
#include "app/sweep/expression_parser.hpp"

namespace tilewave {

/// One evaluation: walks from the root, so that `&&`, `||` and `? :` leave out what they don't need.
class ExpressionRun {
 public:
  ExpressionRun(const Expression& expression, const Expression::Lookup& lookup)
      : expression_(expression), lookup_(lookup) {}

  Json value(std::size_t index) {
    const Expression::Node& node = expression_.nodes_[index];
    if (node.is_name) return named(node.word);
    if (node.word.empty()) return node.value;
    if (node.word == "?") {
      return value(node.operands[truth(node.operands[0]) ? 1 : 2]);
    }
    if (node.word == "&&") return truth(node.operands[0]) && truth(node.operands[1]);
    if (node.word == "||") return truth(node.operands[0]) || truth(node.operands[1]);
    std::vector<Json> operands;
    operands.reserve(node.operands.size());
    for (const std::size_t operand : node.operands) operands.push_back(value(operand));
    return apply_operator(node.word, operands);
  }

  bool truth(std::size_t index) {
    const Json result = value(index);
    if (result.is_boolean()) return result.get<bool>();
    throw ExpressionError(fmt::format("{} is neither true nor false", in_words(result)));
  }

 private:
  Json named(const std::string& name) {
    const Json* value = lookup_(name);
    if (value == nullptr) throw ExpressionError(fmt::format("there is no {}", name));
    if (value->is_number() || value->is_string() || value->is_boolean()) return *value;
    throw ExpressionError(
        fmt::format("{} is {}, no number, string or boolean", name, in_words(*value)));
  }

  const Expression& expression_;
  const Expression::Lookup& lookup_;
};

Expression::Expression(std::string_view text) : text_(text) {
  ExpressionParser(text, *this).parse();
}

Json Expression::evaluate(const Lookup& lookup) const {
  return ExpressionRun(*this, lookup).value(nodes_.size() - 1);
}

bool Expression::holds(const Lookup& lookup) const {
  return ExpressionRun(*this, lookup).truth(nodes_.size() - 1);
}

}  // namespace tilewave
