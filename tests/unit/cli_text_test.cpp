// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "support/catch.hpp"

#include "app/cli/text.hpp"

namespace tilewave {
namespace {

TEST_CASE("numbers have four digits and an SI prefix", "[cli][text]") {
  const struct {
    double value;
    std::string unit, text;
  } cases[] = {
      {0, "s", "0 s"},
      {1, "s", "1.000 s"},
      {999.94, "s", "999.9 s"},
      {999.96, "s", "1.000 ks"},
      {1000, "s", "1.000 ks"},
      {12345, "B", "12.35 kB"},
      {123456, "B", "123.5 kB"},
      {1234567, "Hz", "1.235 MHz"},
      {80.46e-6, "s", "80.46 us"},
      {1e-3, "s", "1.000 ms"},
      {0.99996e-3, "s", "1.000 ms"},
      {1e-9, "J", "1.000 nJ"},
      {2.5e-16, "J", "0.250 fJ"},
      {-1500, "W", "-1.500 kW"},
      {65536.0 * 65536.0 * 65536.0, "", "281.5 T"},
      {5e24, "B", "5000 ZB"},
      {std::numeric_limits<double>::quiet_NaN(), "s", "0 s"},
      {std::numeric_limits<double>::infinity(), "s", "0 s"},
  };
  for (const auto& [value, unit, text] : cases) {
    CAPTURE(value);
    CHECK(si(value, unit) == text);
  }
}

TEST_CASE("a long name is shortened in its middle", "[cli][text]") {
  const struct {
    std::string name;
    std::size_t columns;
    std::string fitted;
  } cases[] = {
      {"conv1", 5, "conv1"},
      {"layer4.2.conv3", 9, "laye…onv3"},
      {"layer4.2.conv3", 8, "laye…nv3"},
      {"abc", 1, "…"},
      {"abc", 0, ""},
      {"größeres", 5, "gr…es"},
      {"größe", 5, "größe"},
      {"two\nlines\t", 10, "two lines "},
      {"", 4, ""},
      {"\x1b[31mred", 8, " [31mred"},
  };
  for (const auto& [name, columns, expected] : cases) {
    CAPTURE(name, columns);
    CHECK(fitted(name, columns) == expected);
    CHECK(width_of(fitted(name, columns)) <= columns);
  }
}

TEST_CASE("text is aligned by characters, not bytes", "[cli][text]") {
  CHECK(left("größe", 7) == "größe  ");
  CHECK(right("größe", 7) == "  größe");
  CHECK(left("longer", 3) == "longer");
}

TEST_CASE("words are wrapped with an indent", "[cli][text]") {
  CHECK(wrapped("one two three", 7, 2) == "one two\n  three");
  CHECK(wrapped("one two three", 13, 2) == "one two three");
  CHECK(wrapped("one two three", 13, 2, 1) == "one two\n  three");
  CHECK(wrapped("  spaces \n and lines ", 80, 0) == "spaces and lines");
  CHECK(wrapped("averyverylongword b", 5, 1) == "averyverylongword\n b");
  CHECK(wrapped("", 5, 1).empty());
}

}  // namespace
}  // namespace tilewave
