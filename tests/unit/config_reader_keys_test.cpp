// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/reader_fixture.hpp"

#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

using test::errors_of;
using test::Flow;
using test::kFlows;
using test::Read;

TEST_CASE("a key that is not there", "[config][reader]") {
  const auto error_of = [](const Read& read) { return errors_of("{}", read); };
  CHECK(error_of([](auto& r) {
          CHECK(r.count("rows", {1, 8}, "PEs") == 1);
        }) == "core.rows: is missing: an integer from 1 to 8 (PEs)");
  CHECK(error_of([](auto& r) { r.number("share", RealRange::share(), "part"); }) ==
        "core.share: is missing: a number from 0 to 1 (part)");
  CHECK(error_of([](auto& r) { CHECK_FALSE(r.flag("on", "switch")); }) ==
        "core.on: is missing: true or false (switch)");
  CHECK(error_of([](auto& r) { CHECK(r.text("name", "its name").empty()); }) ==
        "core.name: is missing: a string (its name)");
  CHECK(error_of([](auto& r) { r.template choice<Flow>("flow", kFlows, "what stays"); }) ==
        "core.flow: is missing: one of weight_stationary, output_stationary, input_stationary "
        "(what stays)");
  CHECK(error_of([](auto& r) { CHECK(r.capacity("size", {1}, "the buffer") == 1); }) ==
        "core: one of size_bytes, size_kib, size_mib, size_gib is missing: at least 1 bytes (the "
        "buffer)");
  CHECK(error_of([](auto& r) { r.object("unit", "the unit").count("rows", {1}, "PEs"); }) ==
        "core.unit: is missing: an object (the unit)");
  CHECK(error_of([](auto& r) { CHECK(r.objects("ops", {1}, "what runs").empty()); }) ==
        "core.ops: is missing: an array of at least 1 objects (what runs)");
  CHECK(error_of([](auto& r) {
          r.template counts<2>("stride", {1, 9}, "steps");
        }) == "core.stride: is missing: an array of 2 integers from 1 to 9 (steps)");
  SECTION("is no fault if it is optional") {
    test::ReaderFixture fixture("{}");
    ObjectReader& r = fixture.reader;
    CHECK(r.optional_count("a", 3, {1, 2}, "") == 3);  // a default may be outside the range
    CHECK_FALSE(r.maybe_count("a", {}, ""));
    CHECK(r.optional_number("a", 0.5, RealRange::any(), "") == 0.5);
    CHECK_FALSE(r.maybe_number("a", RealRange::any(), ""));
    CHECK(r.optional_flag("a", true, ""));
    CHECK(r.optional_text("a", "", "").empty());
    CHECK(r.optional_choice<Flow>("a", Flow::input, kFlows, "") == Flow::input);
    CHECK(r.optional_capacity("a", 17, {}, "") == 17);
    CHECK_FALSE(r.maybe_capacity("a", {}, ""));
    CHECK(r.optional_object("a", "").optional_count("b", 4, {}, "") == 4);
    CHECK_FALSE(r.maybe_object("a", ""));
    CHECK(r.optional_objects("a", "").empty());
    CHECK(r.optional_object_map("a", "").empty());
    CHECK(r.optional_counts<2>("a", {5, 6}, {}, "") == std::array<Count, 2>{5, 6});
    CHECK(r.optional_texts("a", "").empty());
    CHECK(r.optional_choices<Flow>("a", kFlows, "").empty());
    CHECK(r.optional_number_map("a", {}, RealRange::any(), "").empty());
    CHECK(r.maybe_any("a", "") == nullptr);
    r.finish();
    CHECK(fixture.errors().empty());
    CHECK(r.ok());
  }
}

TEST_CASE("objects within objects carry their path", "[config][reader]") {
  test::ReaderFixture fixture(R"({"unit": {"rows": 0, "rwos": 1}, "ops": [{"m": 1}, 7, {"m": -1}],
                      "buffers": {"note": "sizes", "a b": {"banks": 0}, "fifo": 4}})");
  ObjectReader unit = fixture.reader.object("unit", "the unit");
  unit.count("rows", {1, 8}, "PEs");
  unit.finish();
  auto ops = fixture.reader.objects("ops", {1}, "what runs");
  REQUIRE(ops.size() == 2);
  for (ObjectReader& op : ops) {
    op.count("m", {1, 8}, "rows of C");
    op.finish();
  }
  CHECK(ops[1].path() == "core.ops[2]");
  auto buffers = fixture.reader.object_map("buffers", "memories by name");
  REQUIRE(buffers.size() == 1);
  CHECK(buffers[0].first == "a b");
  buffers[0].second.count("banks", {1, 8}, "banks");
  fixture.reader.finish();
  CHECK(fixture.errors() ==
        "x.json: core.unit.rows: must be from 1 to 8, is 0\n"
        "x.json: core.unit.rwos: unknown key; did you mean \"rows\"?\n"
        "x.json: core.ops[1]: must be an object, is 7\n"
        "x.json: core.ops[2].m: must be from 1 to 8, is -1\n"
        "x.json: core.buffers.fifo: must be an object, is 4\n"
        "x.json: core.buffers[\"a b\"].banks: must be from 1 to 8, is 0");
}

TEST_CASE("what is no object has one fault, not one for each key", "[config][reader]") {
  CHECK(errors_of(R"({"unit": [1]})", [](ObjectReader& r) {
          ObjectReader unit = r.object("unit", "");
          unit.count("rows", {1}, "");
          unit.object("deep", "").object("deeper", "").text("name", "");
          unit.counts<2>("stride", {1}, "");
          unit.capacity("size", {1}, "");
          unit.finish();
          CHECK_FALSE(unit.ok());
        }) == "core.unit: must be an object, is the array [1]");
  CHECK(errors_of(R"({"ops": {}})", [](auto& r) { r.objects("ops", {1}, ""); }) ==
        "core.ops: must be an array of at least 1 objects, is the object {}");
  CHECK(errors_of(R"({"ops": []})", [](auto& r) { r.objects("ops", {1}, ""); }) ==
        "core.ops: must be an array of at least 1 objects, is an array of 0: []");
  SECTION("a whole file, too") {
    for (const auto& [text, found] : std::vector<std::pair<std::string, std::string>>{
             {"[1, 2]", "the array [1,2]"}, {"\"x\"", "the string \"x\""}, {"null", "null"}}) {
      Diagnostics diagnostics;
      const Json json = *parse_json(text, "x.json", diagnostics);
      ObjectReader reader(json, "x.json", "", diagnostics);
      reader.text("name", "");
      reader.finish();
      REQUIRE(diagnostics.errors().size() == 1);
      CHECK(format(diagnostics.errors()[0]) == "x.json: must be an object, is " + found);
    }
  }
}

TEST_CASE("unknown keys are errors with the nearest known key", "[config][reader]") {
  const auto read = [](ObjectReader& r) {
    r.optional_count("rows", 1, {1}, "");
    r.optional_count("cols", 1, {1}, "");
    r.optional_capacity("size", 1, {1}, "");
    r.finish();
  };
  CHECK(errors_of(R"({"rows": 1, "cols": 2, "size_kib": 4})", read).empty());
  CHECK(errors_of(R"({"rwos": 1})", read) == "core.rwos: unknown key; did you mean \"rows\"?");
  CHECK(errors_of(R"({"Cols": 1})", read) == "core.Cols: unknown key; did you mean \"cols\"?");
  CHECK(errors_of(R"({"size_mb": 1})", read) ==
        "core.size_mb: unknown key; did you mean \"size_mib\"?");
  CHECK(
      errors_of(R"({"voltage": 1})", read) ==
      "core.voltage: unknown key; known are rows, cols, size_bytes, size_kib, size_mib, size_gib");
  CHECK(
      errors_of(R"({"": 1, "a.b": 1})", read) ==
      "core[\"\"]: unknown key; known are rows, cols, size_bytes, size_kib, size_mib, size_gib\n"
      "core[\"a.b\"]: unknown key; known are rows, cols, size_bytes, size_kib, size_mib, size_gib");
  CHECK(
      errors_of(R"({"source": "paper", "sources": {"rows": "p. 3"}, "note": ["a"], "comment": 1})",
                read)
          .empty());
  SECTION("a key only asked for with has() is unknown still") {
    CHECK_FALSE(errors_of(R"({"x": 1})", [](ObjectReader& r) {
                  CHECK(r.has("x"));
                  r.finish();
                }).empty());
  }
  SECTION("a key looked at as a whole is known") {
    CHECK(errors_of(R"({"x": [1, {}]})", [](ObjectReader& r) {
            REQUIRE(r.maybe_any("x", "") != nullptr);
            CHECK(r.maybe_any("x", "")->size() == 2);
            r.finish();
          }).empty());
  }
}

TEST_CASE("a misspelt required key is one fault", "[config][reader]") {
  const auto read = [](ObjectReader& r) {
    r.count("rows", {1}, "PEs");
    r.capacity("size", {1}, "bytes");
    r.finish();
    CHECK_FALSE(r.ok());
  };
  CHECK(errors_of(R"({"rwos": 1, "size_kb": 4})", read) ==
        "core.rwos: unknown key; did you mean \"rows\"?\n"
        "core.size_kb: unknown key; did you mean \"size_kib\"?");
  CHECK(errors_of(R"({"voltage": 1, "size_kib": 4})", read) ==
        "core.rows: is missing: an integer of at least 1 (PEs)\n"
        "core.voltage: unknown key; known are rows, size_bytes, size_kib, size_mib, size_gib");
}

TEST_CASE("checks across keys use the reader's path", "[config][reader]") {
  test::ReaderFixture fixture(R"({"line": 48, "sector": 32})");
  const Count line = fixture.reader.count("line", {1}, "");
  const Count sector = fixture.reader.count("sector", {1}, "");
  CHECK(fixture.reader.ok());
  if (line % sector != 0) {
    fixture.reader.error("line", "must be a multiple of sector (32), is 48");
  }
  fixture.reader.warning("", "odd");
  CHECK_FALSE(fixture.reader.ok());
  CHECK(fixture.errors() == "x.json: core.line: must be a multiple of sector (32), is 48");
  CHECK(format(fixture.diagnostics.warnings().at(0)) == "x.json: core: odd");
  CHECK(fixture.reader.path_of("line") == "core.line");
  // A value below a key, and a key with a point in its name.
  CHECK(fixture.reader.path_of("throughput.int8") == "core.throughput.int8");
  CHECK(test::ReaderFixture(R"({"a.b": 1})").reader.path_of("a.b") == "core[\"a.b\"]");
}

TEST_CASE("the keys asked for can be listed with what they mean", "[config][reader]") {
  KeyDocs docs;
  test::ReaderFixture fixture(R"({"ops": [{"m": 1}, {"m": 2}]})", &docs);
  ObjectReader& r = fixture.reader;
  for (ObjectReader& op : r.objects("ops", {1}, "what runs")) {
    op.count("m", {1, 9}, "rows of C");
  }
  r.optional_number("clock_ghz", 0.7, RealRange::positive(), "core clock");
  r.optional_choice<Flow>("flow", Flow::output, kFlows, "what stays");
  r.optional_capacity("size", 1024, {1}, "buffer");
  r.optional_counts<2>("stride", {1, 2}, {1, 9}, "steps");
  r.optional_text("name", "", "its name");
  r.object("unit", "array").count("rows", {1}, "PEs");  // not there: documented all the same
  std::string all;
  for (const KeyDoc& doc : docs.all()) {
    all += doc.path + " | " + doc.expects + " | " +
           (doc.required ? "required" : doc.default_value) + " | " + doc.meaning + "\n";
  }
  CHECK(all ==
        "core.ops | an array of at least 1 objects | required | what runs\n"
        "core.ops[].m | an integer from 1 to 9 | required | rows of C\n"
        "core.clock_ghz | a number of more than 0 | 0.7 | core clock\n"
        "core.flow | one of weight_stationary, output_stationary, input_stationary | "
        "\"output_stationary\" | what stays\n"
        "core.size_kib | at least 1 bytes; also as size_bytes, size_mib or size_gib | 1024 bytes | "
        "buffer\n"
        "core.stride | an array of 2 integers from 1 to 9 | [1, 2] | steps\n"
        "core.name | a string | \"\" | its name\n"
        "core.unit | an object | required | array\n"
        "core.unit.rows | an integer of at least 1 | required | PEs\n");
}

}  // namespace
}  // namespace tilewave
