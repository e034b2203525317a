// SPDX-License-Identifier: Apache-2.0
// The tree of statistics and its JSON.
#include "sim/statistics.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

TEST_CASE("a statistic has a value, a unit and a description", "[statistics]") {
  const Count hits = 3;
  StatGroup root("root");
  root.count("hits", "requests", "found in the cache", hits);
  CHECK(root.to_json().dump() ==
        R"({"hits":{"value":3,"unit":"requests","description":"found in the cache"}})");
  CHECK(root.name() == "root");
}

TEST_CASE("values are read when the report is written", "[statistics]") {
  Count hits = 0;
  StatGroup root("root");
  root.count("hits", "requests", "", hits);
  root.count("twice", "requests", "", [&hits] { return 2 * hits; });
  hits = 21;
  const auto json = root.to_json();
  CHECK(json["hits"]["value"] == 21);
  CHECK(json["twice"]["value"] == 42);
  hits = ~Count{0};  // all 64 bits
  CHECK(root.to_json()["hits"]["value"].get<Count>() == ~Count{0});
}

TEST_CASE("groups nest as the hardware does", "[statistics]") {
  const Count one = 1, two = 2;
  StatGroup root("chip");
  StatGroup& core = root.group("core0");
  core.count("cycles", "cycles", "", one);
  core.group("dma").count("bytes", "bytes", "", two);
  const auto json = root.to_json();
  CHECK(json["core0"]["cycles"]["value"] == 1);
  CHECK(json["core0"]["dma"]["bytes"]["value"] == 2);
  CHECK_FALSE(json.contains("chip"));  // the root's name is the reader's business
  CHECK(StatGroup("empty").to_json().dump() == "{}");
}

TEST_CASE("a group of a name is there once", "[statistics]") {
  const Count one = 1, two = 2;
  StatGroup root("root");
  StatGroup& first = root.group("core");
  for (int i = 0; i < 100; ++i) root.group("other" + std::to_string(i));
  CHECK(&root.group("core") == &first);  // references stay good
  first.count("a", "cycles", "", one);
  root.group("core").count("b", "cycles", "", two);
  CHECK(root.to_json()["core"].size() == 2);
}

TEST_CASE("statistics come in the order of their registration, groups after them", "[statistics]") {
  const Count value = 0;
  StatGroup root("root");
  root.group("z_group");
  root.count("z", "cycles", "", value);
  root.count("a", "cycles", "", value);
  root.group("a_group");
  std::vector<std::string> names;
  const auto json = root.to_json();
  for (const auto& [name, stat] : json.items()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"z", "a", "z_group", "a_group"});
}

}  // namespace
}  // namespace tilewave::test
