// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/catch.hpp"

#include "sim/config/json_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/merge.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

Json json_of(std::string_view text) { return Json::parse(text); }

constexpr std::string_view kMachine =
    R"({"name":"x","core":{"unit":{"rows":4},"size_mib":2},"ops":[{"m":1},{"m":2}],"list":[[1,2]]})";

TEST_CASE("a merge changes what the overlay names", "[config][merge]") {
  const struct {
    std::string base, overlay, merged;
  } cases[] = {
      {"{}", "{}", "{}"},
      {R"({"a":1,"b":{"c":2,"d":3}})", R"({"b":{"d":4,"e":5}})",
       R"({"a":1,"b":{"c":2,"d":4,"e":5}})"},
      {R"({"a":[1,2,3]})", R"({"a":[4]})", R"({"a":[4]})"},
      {R"({"a":{"b":1}})", R"({"a":2})", R"({"a":2})"},
      {R"({"a":2})", R"({"a":{"b":1}})", R"({"a":{"b":1}})"},
      {R"({"a":1,"b":2})", R"({"a":null})", R"({"b":2})"},
      {R"({"b":2})", R"({"a":null,"c":{"d":null}})", R"({"b":2,"c":{}})"},
      {R"({"z":1,"a":2})", R"({"a":3,"z":4,"m":5})",
       R"({"z":4,"a":3,"m":5})"},  // order of the base
      {R"({"size_mib":24,"line_bytes":64})", R"({"size_kib":512})",
       R"({"line_bytes":64,"size_kib":512})"},
      {R"({"size_mib":24})", R"({"size_mib":1})", R"({"size_mib":1})"},
      {R"({"size_mib":24})", R"({"size_kib":null})", R"({"size_mib":24})"},
      {R"({"size_mib":24})", R"({"size_kib":1,"size_bytes":1})",
       R"({"size_kib":1,"size_bytes":1})"},
  };
  for (const auto& [base, overlay, merged] : cases) {
    CAPTURE(base, overlay);
    CHECK(deep_merge(json_of(base), json_of(overlay)).dump() == merged);
  }
}

TEST_CASE("a path finds a value", "[config][merge]") {
  const Json root = json_of(kMachine);
  const struct {
    std::string path, value;  // "": none
  } cases[] = {{"name", "\"x\""},
               {"core.unit.rows", "4"},
               {"ops[1].m", "2"},
               {"ops.1.m", "2"},
               {"list[0][1]", "2"},
               {"list.0.1", "2"},
               {"ops[2].m", ""},
               {"core.none", ""},
               {"core[0]", ""},
               {"name.x", ""},
               {"", ""},
               {".", ""},
               {"core..unit", ""},
               {"core.", ""},
               {"ops[x]", ""},
               {"ops[1", ""},
               {"ops[1]m", ""},
               {"ops[-1]", ""},
               {"ops[]", ""},
               {"ops[99999999999999999999999]", ""}};
  for (const auto& [path, value] : cases) {
    CAPTURE(path);
    const Json* found = find_value(root, path);
    CHECK((found == nullptr ? "" : found->dump()) == value);
  }
}

TEST_CASE("PATH=VALUE sets a value", "[config][merge]") {
  const struct {
    std::string assignment, path, value;
  } cases[] = {
      {"core.unit.rows=128", "core.unit.rows", "128"},
      {" core.unit.rows = 128 ", "core.unit.rows", "128"},
      {"clock_ghz=1.41", "clock_ghz", "1.41"},
      {"name=a100", "name", "\"a100\""},
      {"name=\"a b\"", "name", "\"a b\""},
      {"name=", "name", "\"\""},
      {"name=a=b", "name", "\"a=b\""},
      {"name=012", "name", "\"012\""},      // no JSON: the reader will say what it must be
      {"name=1e999", "name", "\"1e999\""},  // likewise
      {"name=NaN", "name", "\"NaN\""},
      {"on=true", "on", "true"},
      {"ops[1].m=7", "ops[1].m", "7"},
      {"ops.1.m=7", "ops[1].m", "7"},
      {"ops[0]={\"m\": 9}", "ops[0]", "{\"m\":9}"},
      {"list[0][1]=[3]", "list[0][1]", "[3]"},
      {"new.object.key=1", "new", R"({"object":{"key":1}})"},
      {"core={\"a\": 1}", "core", "{\"a\":1}"},  // replaces, no merge
      {"core.7=1", "core.7", "1"},               // an object may have such a key
      {"core.size_kib=8", "core", R"({"unit":{"rows":4},"size_kib":8})"},
      {"core.unit=null", "core", R"({"size_mib":2})"},
      {"core.none=null", "core", R"({"unit":{"rows":4},"size_mib":2})"},
  };
  for (const auto& [assignment, path, value] : cases) {
    CAPTURE(assignment);
    Json root = json_of(kMachine);
    Diagnostics diagnostics;
    CHECK(set_path(root, assignment, diagnostics));
    CHECK(diagnostics.ok());
    const Json* found = find_value(root, path);
    REQUIRE(found != nullptr);
    CHECK(found->dump() == value);
  }
}

TEST_CASE("PATH=VALUE that means nothing is an error", "[config][merge]") {
  const std::string deep(100'000, '[');
  const struct {
    std::string assignment, error;
  } cases[] = {
      {"core.rows", "--set: \"core.rows\" is not PATH=VALUE: there is no '='"},
      {"", "--set: \"\" is not PATH=VALUE: there is no '='"},
      {"=5", "--set: \"=5\" is not PATH=VALUE: there is no path"},
      {"  =5", "--set: \"  =5\" is not PATH=VALUE: there is no path"},
      {"a..b=5", "--set: \"a..b\" is no path; write it as core.matrix_unit.rows or ops[2].m"},
      {".a=5", "--set: \".a\" is no path; write it as core.matrix_unit.rows or ops[2].m"},
      {"ops[x]=5", "--set: \"ops[x]\" is no path; write it as core.matrix_unit.rows or ops[2].m"},
      {"ops[2].m=5", "--set: ops[2].m: ops has 2 elements, counted from 0: no [2]"},
      {"ops.2=5", "--set: ops.2: ops has 2 elements, counted from 0: no [2]"},
      {"ops.m=5", "--set: ops.m: ops is an array; \"m\" is no index"},
      {"core[0]=5", "--set: core[0]: core is no array"},
      {"[0]=5", "--set: [0]: the file is no array"},
      {"new[0]=5", "--set: new[0]: new is no array"},
      {"name.x=5", "--set: name.x: name is the string \"x\", not an object"},
      {"core.unit.rows.low=5", "--set: core.unit.rows.low: core.unit.rows is 4, not an object"},
      {"ops=[1, 2",
       "--set: ops: the value \"[1, 2\": the text ends before the array opened in line 1 is closed "
       "with ']'"},
      {"ops={m: 1}", "--set: ops: the value \"{m: 1}\": the key m must be in double quotes"},
      {"core={\"a\": 1, \"a\": 2}",
       "--set: core: the value \"{\\\"a\\\": 1, \\\"a\\\": 2}\": the key is given twice; the first "
       "is "
       "in line 1"},
      {"core=" + deep, "--set: core: the value \"" + deep.substr(0, 40) +
                           "...\": objects and arrays are nested more than 200 deep"},
      {"name=\xFF", "--set:1:6: the byte 0xff here is not UTF-8"},
  };
  for (const auto& [assignment, error] : cases) {
    CAPTURE(assignment.substr(0, 60));
    Json root = json_of(kMachine);
    Diagnostics diagnostics;
    CHECK_FALSE(set_path(root, assignment, diagnostics));
    REQUIRE(diagnostics.errors().size() == 1);
    CHECK(format(diagnostics.errors()[0]) == error);
  }
}

TEST_CASE("faults in a value that was set name --set, not the file", "[config][merge]") {
  Json root = json_of(R"({"rows": 0, "cols": 0, "unit": {"lanes": 0}, "size_mib": 1, "k": 1})");
  Diagnostics diagnostics;
  CHECK(set_path(root, "rows=-1", diagnostics, "x.json"));
  CHECK(set_path(root, "unit={\"lanes\": true}", diagnostics, "x.json"));
  CHECK(set_path(root, "rwos=1", diagnostics, "x.json"));
  CHECK(set_path(root, "k=null", diagnostics, "x.json"));
  CHECK(set_value(root, "size_kib", 0, diagnostics, "x.json", "parameters"));
  ObjectReader reader(root, "x.json", "", diagnostics);
  reader.count("rows", {1}, "");
  reader.count("cols", {1}, "");
  reader.object("unit", "").count("lanes", {1}, "");
  reader.capacity("size", {1}, "");
  reader.count("k", {1}, "depth");
  reader.finish();
  std::string all;
  for (const Fault& fault : diagnostics.errors()) {
    all += format(fault) + "\n";
  }
  CHECK(all ==
        "--set: rows: must be at least 1, is -1\n"
        "x.json: cols: must be at least 1, is 0\n"
        "--set: unit.lanes: must be an integer of at least 1, is true\n"
        "parameters: size_kib: must be at least 1 bytes, is 0 (0 bytes)\n"
        "--set: k: is missing: an integer of at least 1 (depth)\n"
        "--set: rwos: unknown key; did you mean \"rows\"?\n");
}

TEST_CASE("a value can be set into nothing", "[config][merge]") {
  Json root;
  Diagnostics diagnostics;
  CHECK(set_path(root, "a.b=1", diagnostics));
  CHECK(root.dump() == R"({"a":{"b":1}})");
  CHECK(diagnostics.ok());
}

}  // namespace
}  // namespace tilewave
