// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"

#include "app/cli/csv.hpp"

namespace tilewave {
namespace {

TEST_CASE("a cell is quoted if it must be", "[cli][csv]") {
  CHECK(csv_cell("plain text") == "plain text");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("a \"b\"") == "\"a \"\"b\"\"\"");
  CHECK(csv_cell("a\nb") == "\"a\nb\"");
  CHECK(csv_cell("a\rb") == "\"a\rb\"");
  CHECK(csv_cell(" a") == "\" a\"");
  CHECK(csv_cell("").empty());
}

TEST_CASE("layers of different shape share their columns", "[cli][csv]") {
  const Json report = Json::parse(R"({"layers": [
    {"name": "a", "shape": {"m": 1, "stride": [2, 3]}, "cycles": 7, "breakdown": {"idle": 7}},
    {"name": "b", "shape": {"k": 0.5, "m": 2}, "cycles": 8, "fused": true, "none": null,
     "breakdown": {"idle": 8}, "values": {"c": [[1, 2]], "sum": 3}}]})");
  CHECK(layers_csv(report) ==
        "name,shape.m,shape.stride,shape.k,cycles,breakdown.idle_cycles,fused,none,values.sum\n"
        "a,1,2 3,,7,7,,,\n"
        "b,2,,0.5,8,8,true,,3\n");
}

TEST_CASE("a report without layers is a header without columns", "[cli][csv]") {
  CHECK(layers_csv(Json::object()) == "\n");
  CHECK(layers_csv(Json{{"layers", Json::array()}}) == "\n");
}

}  // namespace
}  // namespace tilewave
