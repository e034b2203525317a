// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "sim/config/nearest.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

TEST_CASE("a fault is one line with what is known of it", "[config][diagnostics]") {
  const struct {
    Fault fault;
    std::string line;
  } cases[] = {
      {{"x.json", "core.rows", "must be at least 1, is 0"},
       "x.json: core.rows: must be at least 1, is 0"},
      {{"x.json", "", "no such file"}, "x.json: no such file"},
      {{"x.csv", "", "three columns", 12}, "x.csv:12: three columns"},
      {{"x.json", "a", "given twice", 12, 5}, "x.json:12:5: a: given twice"},
      {{"", "a.b", "is missing"}, "a.b: is missing"},
      {{"", "", "empty"}, "empty"},
      {{"", "", "bad", 3}, "line 3: bad"},
      {{"a\nb.json", "k\x1b[31m", "m\x7f"}, "a\\nb.json: k\\x1b[31m: m\\x7f"},
  };
  for (const auto& [fault, line] : cases) {
    CHECK(format(fault) == line);
  }
}

TEST_CASE("diagnostics throw all errors together", "[config][diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.warning("x.json", "a", "odd");
  CHECK(diagnostics.ok());
  CHECK_NOTHROW(diagnostics.throw_if_errors());
  diagnostics.error("x.json", "a", "first");
  diagnostics.error("x.json", "b", "second", 4);
  diagnostics.error("x.json", "a", "first");  // known already
  CHECK_FALSE(diagnostics.ok());
  CHECK(diagnostics.error_calls() == 3);
  CHECK(diagnostics.warnings() == std::vector<Fault>{{"x.json", "a", "odd"}});
  try {
    diagnostics.throw_if_errors();
    FAIL("did not throw");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()) == "x.json: a: first\nx.json:4: b: second");
    CHECK(error.faults() == diagnostics.errors());
    CHECK(error.faults().size() == 2);
  }
}

TEST_CASE("a flood of errors is counted, not stored", "[config][diagnostics]") {
  Diagnostics diagnostics;
  for (int i = 0; i < 5000; ++i) {
    diagnostics.error("x", std::to_string(i), "bad");
    diagnostics.warning("x", std::to_string(i), "odd");
  }
  CHECK(diagnostics.errors().size() == Diagnostics::kMaxKept);
  CHECK(diagnostics.warnings().size() == Diagnostics::kMaxKept);
  CHECK_THROWS_WITH(diagnostics.throw_if_errors(), test::contains("... and 4000 more"));
}

TEST_CASE("an error can be taken back", "[config][diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.error("x.json", "rows", "is missing");
  CHECK_FALSE(diagnostics.retract_error({"x.json", "cols", "is missing"}));
  CHECK(diagnostics.retract_error({"x.json", "rows", "is missing"}));
  CHECK(diagnostics.ok());
}

TEST_CASE("a fault names where its value came from", "[config][diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.set_origin("x.json", "core", "overrides");
  diagnostics.set_origin("x.json", "core.rows", "--set");
  const struct {
    std::string file, path, label;
  } cases[] = {{"x.json", "core.rows", "--set"},         {"x.json", "core.rows.low", "--set"},
               {"x.json", "core.rows[2]", "--set"},      {"x.json", "core.rows_max", "overrides"},
               {"x.json", "core", "overrides"},          {"x.json", "cores", "x.json"},
               {"other.json", "core.rows", "other.json"}};
  for (const auto& [file, path, label] : cases) {
    diagnostics.error(file, path, "bad");
    CHECK(diagnostics.errors().back() == Fault{label, path, "bad"});
  }
  CHECK(diagnostics.retract_error({"x.json", "core.rows", "bad"}));
}

TEST_CASE("edit distance counts inserts, deletes, replacements and swaps", "[config][nearest]") {
  const struct {
    std::string a, b;
    std::size_t distance;
  } cases[] = {{"", "", 0},
               {"", "abc", 3},
               {"rows", "rows", 0},
               {"rwos", "rows", 1},
               {"row", "rows", 1},
               {"rowss", "rows", 1},
               {"rowz", "rows", 1},
               {"ROWS", "rows", 0},
               {"ca", "abc", 3},  // optimal string alignment: no edit inside a swapped pair
               {"weight-stationary", "weight_stationary", 0},
               {"kitten", "sitting", 3}};
  for (const auto& [a, b, distance] : cases) {
    CAPTURE(a, b);
    CHECK(edit_distance(a, b) == distance);
    CHECK(edit_distance(b, a) == distance);
  }
}

TEST_CASE("the nearest name is found only if one is near", "[config][nearest]") {
  const std::vector<std::string> names{"rows", "cols", "clock_ghz", "capacity_mib", "k", "tpu_v1"};
  const struct {
    std::string name, nearest;  // "": none
  } cases[] = {{"rwos", "rows"},
               {"Rows", "rows"},
               {"K", "k"},
               {"m", ""},
               {"clock", "clock_ghz"},
               {"clock_mhz", "clock_ghz"},
               {"capacity_mb", "capacity_mib"},
               {"tpu-v1", "tpu_v1"},
               {"tpuv1", "tpu_v1"},
               {"dataflow", ""},
               {"", ""},
               {std::string(100000, 'r'), ""}};
  for (const auto& [name, nearest] : cases) {
    CAPTURE(name.substr(0, 40));
    CHECK(nearest_name(name, names).value_or("") == nearest);
  }
  CHECK_FALSE(nearest_name("rows", std::vector<std::string>{}));
  SECTION("of equally near ones the first") {
    CHECK(nearest_name("bat", std::vector<std::string>{"cat", "hat"}) == "cat");
    CHECK(nearest_name("bat", std::vector<std::string>{"hat", "cat"}) == "hat");
  }
}

}  // namespace
}  // namespace tilewave
