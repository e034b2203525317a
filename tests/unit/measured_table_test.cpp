// SPDX-License-Identifier: Apache-2.0
// Tables of measurements, and templates that are filled from their rows.
#include "app/validate/measured_table.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

MeasuredTable read(const std::string& text, std::vector<std::string>* errors = nullptr) {
  const TemporaryFolder folder("measured_table");
  folder.write("t.csv", text);
  Diagnostics diagnostics;
  MeasuredTable table = read_measured_table(folder.file("t.csv"), diagnostics);
  if (errors != nullptr) {
    for (const Fault& fault : diagnostics.errors()) {
      errors->push_back(std::to_string(fault.line) + ": " + fault.message);
    }
  } else {
    diagnostics.throw_if_errors();
  }
  return table;
}

MeasuredRow row() {
  return {.line = 2,
          .cells = {{"m", "64"}, {"n", "8"}, {"share", "0.5"}, {"causal", "true"}, {"t", "fp16"}}};
}

}  // namespace

TEST_CASE("a table has its columns by name and the lines of its rows", "[validate]") {
  const MeasuredTable table = read("m,n,note\n1,2,\"a, b\"\n\n3,4\n");
  CHECK(table.columns == std::vector<std::string>{"m", "n", "note"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].at("note") == "a, b");
  CHECK(table.rows[1].line == 4);
  CHECK(table.rows[1].at("n") == "4");
  CHECK(table.rows[1].at("note").empty());
  CHECK(table.rows[1].at("no_such").empty());
  CHECK(table.has("note"));
  CHECK_FALSE(table.has("x"));
}

TEST_CASE("faults of a table name their lines", "[validate]") {
  std::vector<std::string> errors;
  (void)read("m,m,a b\n1,2,3,4\n", &errors);
  CHECK(errors ==
        std::vector<std::string>{"1: there are two columns \"m\"",
                                 "1: a column's name is letters, digits and _, is \"a b\"",
                                 "2: has 4 cells, there are 3 columns"});
  errors.clear();
  (void)read("m,n\n", &errors);
  CHECK(errors ==
        std::vector<std::string>{"0: a line of column names and at least one row are needed"});
}

TEST_CASE("a text is filled with the cells", "[validate]") {
  CHECK(fill_text("$m x $n, $t", row()) == "64 x 8, fp16");
  CHECK(fill_text("plain", row()) == "plain");
  CHECK(fill_text("$m$n", row()) == "648");
  CHECK(columns_in("a $m x $n_2!$") == std::vector<std::string>{"m", "n_2", ""});
}

TEST_CASE("a value is a number, a flag or a text, as its cell", "[validate]") {
  const auto fill = [](const Json& value) { return fill_value(value, row()); };
  CHECK(fill("$m") == 64);
  CHECK(fill("$share") == 0.5);
  CHECK(fill("$causal") == true);
  CHECK(fill("$t") == "fp16");
  CHECK(fill("$m * $n") == 512);
  CHECK(fill("$m*2 * $n") == 1024);
  CHECK(fill("m * n") == "m * n");
  CHECK(fill("$t * $n") == "fp16 * 8");  // no product: a text, which the op's reader rejects
  CHECK(fill("${m}") == "{m}");          // braces are no syntax
  CHECK(fill(7) == 7);
  CHECK(fill(Json::parse(R"({"stride": ["$n", 2], "op": "gemm"})")) ==
        Json::parse(R"({"stride": [8, 2], "op": "gemm"})"));
}

TEST_CASE("filters match values, or whatever is there", "[validate]") {
  CHECK(RowFilter{.column = "t", .values = {"fp32", "fp16"}}.matches(row()));
  CHECK_FALSE(RowFilter{.column = "t", .values = {"fp32"}}.matches(row()));
  CHECK(RowFilter{.column = "t", .values = {}}.matches(row()));
  CHECK_FALSE(RowFilter{.column = "flag", .values = {}}.matches(row()));
  CHECK(match_all({}, row()));
  CHECK_FALSE(match_all({{.column = "t", .values = {}}, {.column = "x", .values = {}}}, row()));
}
