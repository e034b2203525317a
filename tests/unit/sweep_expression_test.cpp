// SPDX-License-Identifier: Apache-2.0
// Expressions of a sweep file: values, precedence, types, what is refused and where.
#include <map>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"

#include "app/sweep/expression.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

const Json* lookup(const std::string& name) {
  static const std::map<std::string, Json> values{
      {"a", 6},       {"b", 4},     {"core.matrix_unit.rows", 128}, {"ops[2].m", 7},   {"x", 2.5},
      {"flow", "ws"}, {"on", true}, {"object", Json::object()},     {"big", INT64_MAX}};
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

Json value(const std::string& text) { return Expression(text).evaluate(lookup); }

std::string fault(const std::string& text) {
  try {
    const Json result = value(text);
    return "gives " + result.dump();
  } catch (const ExpressionError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("expressions have the values of arithmetic") {
  const std::vector<std::pair<std::string, Json>> cases{
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"2 - 3 - 4", -5},
      {"-a + 1", -5},
      {"--a", 6},
      {"a / 2", 3},
      {"a / b", 1.5},
      {"7 % 4", 3},
      {"x * 2", 5.0},
      {"1e3", 1000.0},
      {".5 + .5", 1.0},
      {"core.matrix_unit.rows * 2", 256},
      {"ops[2].m + 1", 8},
      {"min(a, b, 9)", 4},
      {"max(a, x)", 6},
      {"ceil(x)", 3},
      {"floor(-x)", -3},
      {"round(x)", 3},
      {"abs(-3)", 3},
      {"sqrt(16)", 4.0},
      {"log2(core.matrix_unit.rows)", 7.0},
      {"pow(2, 10)", 1024},
      {"pow(2, -1)", 0.5},
      {"a > b", true},
      {"a > b && b > a", false},
      {"a > b || b > a", true},
      {"!on", false},
      {"a == 6.0", true},
      {"flow == 'ws'", true},
      {"flow != \"os\"", true},
      {"'a' < 'b'", true},
      {"on == true", true},
      {"a > b ? 'more' : 'less'", "more"},
      {"a < b ? 1 : b < a ? 2 : 3", 2},
      {"1 + 2 < 4", true},
      {"9007199254740993 - 1", 9007199254740992},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    const Json result = value(text);
    CHECK(result == expected);
    CHECK(result.is_number_integer() == expected.is_number_integer());
  }
}

TEST_CASE("a whole number that would not fit becomes a real one") {
  CHECK(value("big + 1").is_number_float());
  CHECK(value("big + 1").get<double>() == Approx(9.223372036854775807e18));
  CHECK(value("big * big").is_number_float());
}

TEST_CASE("what is not needed is not evaluated") {
  CHECK(value("on || nothing > 1") == true);
  CHECK(value("!on && nothing > 1") == false);
  CHECK(value("on ? 1 : nothing") == 1);
}

TEST_CASE("names are listed once, in order") {
  const Expression expression("b + a * b + min(core.matrix_unit.rows, 2)");
  CHECK(expression.names() == std::vector<std::string>{"b", "a", "core.matrix_unit.rows"});
}

TEST_CASE("faults of the text tell the place") {
  CHECK_THAT(fault("1 +"), contains("at its end: a value was expected"));
  CHECK_THAT(fault(""), contains("a value was expected"));
  CHECK_THAT(fault("1 2"), contains("at character 3, \"2\": an operator was expected"));
  CHECK_THAT(fault("(1"), contains("\")\" was expected"));
  CHECK_THAT(fault("a = b"), contains("at character 3"));
  CHECK_THAT(fault("1 < 2 < 3"), contains("comparisons do not chain"));
  CHECK_THAT(fault("'abc"), contains("the string does not end"));
  CHECK_THAT(fault("a..b"), contains("no path"));
  CHECK_THAT(fault("ops[x]"), contains("no index"));
  CHECK_THAT(fault("3rows"), contains("no number"));
  CHECK_THAT(fault("sin(1)"), contains("there is no function sin; there are min, max"));
  CHECK_THAT(fault("pow(2)"), contains("pow takes 2 values"));
  CHECK_THAT(fault("on ? 1"), contains("\":\" was expected"));
  CHECK_THAT(fault("\xff"), contains("a value was expected"));
}

TEST_CASE("faults of values tell what is wrong") {
  CHECK_THAT(fault("nothing"), contains("there is no nothing"));
  CHECK_THAT(fault("object + 1"), contains("object is"));
  CHECK_THAT(fault("flow + 1"), contains("+ wants numbers, not the string \"ws\""));
  CHECK_THAT(fault("flow < 1"), contains("< cannot compare"));
  CHECK_THAT(fault("1 && on"), contains("neither true nor false"));
  CHECK_THAT(fault("!a"), contains("! wants true or false"));
  CHECK_THAT(fault("a / 0"), contains("division by zero"));
  CHECK_THAT(fault("a % 0"), contains("division by zero"));
  CHECK_THAT(fault("x % 2"), contains("whole numbers"));
  CHECK_THAT(fault("sqrt(-1)"), contains("no finite number"));
  CHECK_THAT(fault("log2(0)"), contains("no finite number"));
  CHECK_THAT(fault("pow(10, 400)"), contains("no finite number"));
  CHECK_THROWS_AS(Expression("a + 1").holds(lookup), ExpressionError);
}

TEST_CASE("hostile text ends in an error, not in a full stack") {
  CHECK_THAT(fault(std::string(5000, '(')), contains("longer than"));
  CHECK_THAT(fault(std::string(4000, '(')), contains("nested too deep"));
  CHECK(fault(std::string(4000, '-') + "1") == "gives 1");
  std::string sum = "1";
  while (sum.size() < 4000) sum += "+1";
  CHECK(value(sum) == (sum.size() + 1) / 2);
}
