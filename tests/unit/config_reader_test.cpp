// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/reader_fixture.hpp"

#include "sim/config/reader.hpp"

namespace tilewave {
namespace {

using test::errors_of;
using test::Flow;
using test::kFlows;

TEST_CASE("integers: what is read and what is refused", "[config][reader]") {
  const struct {
    std::string value;
    Count result;
    std::string error;
  } cases[] = {
      {"1", 1, ""},
      {"64", 64, ""},
      {"2.0", 2, ""},
      {"6.4e1", 64, ""},
      {"0", 1, "core.rows: must be from 1 to 64, is 0"},
      {"65", 1, "core.rows: must be from 1 to 64, is 65"},
      {"-3", 1, "core.rows: must be from 1 to 64, is -3"},
      {"-0.0", 1, "core.rows: must be from 1 to 64, is -0.0"},
      {"2.5", 1, "core.rows: must be an integer from 1 to 64, is 2.5"},
      {"9223372036854775808", 1, "core.rows: must be from 1 to 64, is 9223372036854775808"},
      {"123456789012345678901234567890", 1,
       "core.rows: must be from 1 to 64, is 1.2345678901234568e+29"},
      {"-9223372036854775809", 1, "core.rows: must be from 1 to 64, is -9.223372036854776e+18"},
      {"\"64\"", 1, "core.rows: must be an integer from 1 to 64, is the string \"64\""},
      {"true", 1, "core.rows: must be an integer from 1 to 64, is true"},
      {"null", 1, "core.rows: must be an integer from 1 to 64, is null"},
      {"[1, 2]", 1, "core.rows: must be an integer from 1 to 64, is the array [1,2]"},
      {"{\"a\": 1}", 1, "core.rows: must be an integer from 1 to 64, is the object {\"a\":1}"},
  };
  for (const auto& [value, result, error] : cases) {
    CAPTURE(value);
    const std::string text = "{\"rows\": " + value + "}";
    CHECK(errors_of(text, [&](ObjectReader& r) {
            CHECK(r.count("rows", {1, 64}, "PEs") == result);
          }) == error);
    // Optional forms refuse the same, but go on with their default.
    CHECK(errors_of(text, [&](ObjectReader& r) {
            CHECK(r.optional_count("rows", 7, {1, 64}, "PEs") == (error.empty() ? result : 7));
          }) == error);
    CHECK(errors_of(text, [&](ObjectReader& r) {
            CHECK(r.maybe_count("rows", {1, 64}, "PEs").has_value() == error.empty());
          }) == error);
  }
}

TEST_CASE("integers without an upper end go to 2^63 - 1", "[config][reader]") {
  const auto read = [](ObjectReader& r) { r.count("n", {1}, "elements"); };
  test::ReaderFixture largest(R"({"n": 9223372036854775807})");
  CHECK(largest.reader.count("n", {1}, "elements") == kMaxCount);
  CHECK(largest.errors().empty());
  CHECK(errors_of(R"({"n": 0})", read) == "core.n: must be at least 1, is 0");
  CHECK(errors_of(R"({"n": "x"})", read) ==
        "core.n: must be an integer of at least 1, is the string \"x\"");
  CHECK(errors_of(R"({"n": 9223372036854775808})", read) ==
        "core.n: must be at least 1 and less than 2^63, is 9223372036854775808");
  CHECK(errors_of(R"({"n": 9223372036854775808.0})", read) ==
        "core.n: must be at least 1 and less than 2^63, is 9.223372036854776e+18");
  CHECK(errors_of(R"({"n": 1e300})", read) ==
        "core.n: must be at least 1 and less than 2^63, is 1e+300");
}

TEST_CASE("real numbers keep to their range", "[config][reader]") {
  const struct {
    RealRange range;
    std::string value, error;
  } cases[] = {
      {RealRange::positive(), "0.7", ""},
      {RealRange::positive(), "3", ""},
      {RealRange::positive(), "0", "core.x: must be more than 0, is 0"},
      {RealRange::positive(), "-1.5", "core.x: must be more than 0, is -1.5"},
      {RealRange::positive(10), "10", ""},
      {RealRange::positive(10), "10.5", "core.x: must be more than 0 and at most 10, is 10.5"},
      {RealRange::non_negative(), "0", ""},
      {RealRange::non_negative(), "-1", "core.x: must be at least 0, is -1"},
      {RealRange::share(), "1", ""},
      {RealRange::share(), "1.01", "core.x: must be from 0 to 1, is 1.01"},
      {{.min = 2, .max = 3, .open_max = true},
       "3",
       "core.x: must be at least 2 and less than 3, is 3"},
      {{.max = -1}, "0", "core.x: must be at most -1, is 0"},
      {RealRange::any(), "-1e300", ""},
      {RealRange::any(), "\"1\"", "core.x: must be a number, is the string \"1\""},
      {RealRange::share(), "true", "core.x: must be a number from 0 to 1, is true"},
      {RealRange::positive(), "[]", "core.x: must be a number of more than 0, is the array []"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.value, c.range.text());
    CHECK(errors_of("{\"x\": " + c.value + "}", [&](ObjectReader& r) {
            CHECK(c.range.contains(r.number("x", c.range, "")));
          }) == c.error);
  }
  SECTION("and are finite, wherever they come from") {
    Diagnostics diagnostics;
    const Json json{{"x", std::numeric_limits<double>::infinity()},
                    {"y", std::numeric_limits<double>::quiet_NaN()}};
    ObjectReader reader(json, "x", "", diagnostics);
    reader.number("x", RealRange::any(), "");
    reader.number("y", RealRange::any(), "");
    reader.count("y", {}, "");
    REQUIRE(diagnostics.errors().size() == 3);
    CHECK(format(diagnostics.errors()[0]) == "x: x: must be a finite number, is inf");
    CHECK(format(diagnostics.errors()[1]) == "x: y: must be a finite number, is nan");
  }
  SECTION("after a fault the value is within any range") {
    for (const RealRange range : {RealRange{.min = 5}, RealRange{.min = 5, .open_min = true},
                                  RealRange{.max = -5}, RealRange{.max = -5, .open_max = true},
                                  RealRange{.min = 2, .max = 3, .open_min = true, .open_max = true},
                                  RealRange{.min = -3, .max = 0.5}, RealRange::share()}) {
      CAPTURE(range.text());
      CHECK(range.contains(range.some_value()));
    }
  }
}

TEST_CASE("flags, texts and names", "[config][reader]") {
  const auto flow = [](ObjectReader& r) { r.choice<Flow>("flow", kFlows, "what stays"); };
  const std::string names = "weight_stationary, output_stationary, input_stationary";
  test::ReaderFixture sound(R"({"on": true, "name": "tpu", "flow": "output_stationary"})");
  CHECK(sound.reader.flag("on", ""));
  CHECK(sound.reader.text("name", "") == "tpu");
  CHECK(sound.reader.choice<Flow>("flow", kFlows, "") == Flow::output);
  CHECK(sound.reader.optional_choice<Flow>(
            "flow", Flow::input, {{"output_stationary", Flow::output}, {"other", Flow::weight}},
            "") == Flow::output);
  CHECK(sound.errors().empty());

  CHECK(errors_of(R"({"on": 1})", [](auto& r) { r.flag("on", ""); }) ==
        "core.on: must be true or false, is 1");
  CHECK(errors_of(R"({"on": "true"})", [](auto& r) { CHECK(r.optional_flag("on", true, "")); }) ==
        "core.on: must be true or false, is the string \"true\"");
  CHECK(errors_of(R"({"name": 5})", [](auto& r) { r.text("name", ""); }) ==
        "core.name: must be a string, is 5");
  CHECK(errors_of(R"({"name": ""})", [](auto& r) { r.text("name", ""); }) ==
        "core.name: must not be an empty string");
  CHECK(errors_of(R"({"flow": "weight_stationery"})", flow) ==
        "core.flow: must be one of " + names +
            ", is \"weight_stationery\"; did you mean \"weight_stationary\"?");
  CHECK(errors_of(R"({"flow": "WEIGHT-STATIONARY"})", flow) ==
        "core.flow: must be one of " + names +
            ", is \"WEIGHT-STATIONARY\"; did you mean \"weight_stationary\"?");
  CHECK(errors_of(R"({"flow": "rows"})", flow) ==
        "core.flow: must be one of " + names + ", is \"rows\"");
  CHECK(errors_of(R"({"flow": 3})", flow) == "core.flow: must be one of " + names + ", is 3");
  CHECK(errors_of(R"({"flow": null})", flow) == "core.flow: must be one of " + names + ", is null");
}

TEST_CASE("values in messages are short, on one line and in quotes", "[config][reader]") {
  const auto error_of = [](const std::string& value) {
    return errors_of("{\"n\": " + value + "}", [](auto& r) { r.count("n", {0, 9}, ""); });
  };
  const std::string start = "core.n: must be an integer from 0 to 9, is ";
  CHECK(error_of("\"" + std::string(50, 'a') + "\"") ==
        start + "the string \"" + std::string(40, 'a') + "...\"");
  CHECK(error_of(R"("line\nbreak \"quoted\" \u001b")") ==
        start + R"(the string "line\nbreak \"quoted\" \u001b")");
  CHECK(error_of("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]") ==
        start + "the array [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,...");
  std::string text(39, 'a');
  text += "éé";  // not cut inside a character
  CHECK(error_of("\"" + text + "\"") == start + "the string \"" + std::string(39, 'a') + "...\"");
  SECTION("even where they are large or deep") {
    Json deep = 1;
    for (int i = 0; i < 10'000; ++i) {
      Json outer = Json::array();
      outer.push_back(std::move(deep));
      deep = std::move(outer);
    }
    Diagnostics diagnostics;
    const Json json{{"n", std::move(deep)}};
    ObjectReader reader(json, "x", "", diagnostics);
    reader.count("n", {}, "");
    CHECK(diagnostics.errors().at(0).message.size() < 100);
  }
}

TEST_CASE("a capacity is given in one unit", "[config][reader]") {
  const struct {
    std::string text;
    Bytes result;
    std::string error;
  } cases[] = {
      {R"({"size_bytes": 100})", 100, ""},
      {R"({"size_kib": 2})", 2048, ""},
      {R"({"size_mib": 24})", 25165824, ""},
      {R"({"size_mib": 0.5})", 524288, ""},
      {R"({"size_gib": 1.5})", 1610612736, ""},
      {R"({"size_kib": 0.3})", 1,
       "core.size_kib: must come to a whole number of bytes, is 0.3 (307.2 bytes)"},
      {R"({"size_bytes": 1.5})", 1, "core.size_bytes: must be an integer of at least 1, is 1.5"},
      {R"({"size_bytes": 0})", 1, "core.size_bytes: must be at least 1, is 0"},
      {R"({"size_kib": 0})", 1, "core.size_kib: must be at least 1 bytes, is 0 (0 bytes)"},
      {R"({"size_kib": -1})", 1, "core.size_kib: must be at least 1 bytes, is -1"},
      {R"({"size_gib": 8589934592})", 1,
       "core.size_gib: must be at least 1 bytes and less than 2^63, is 8589934592"},
      {R"({"size_kib": 1e300})", 1,
       "core.size_kib: must be at least 1 bytes and less than 2^63, is 1e+300"},
      {R"({"size_kib": "2"})", 1, "core.size_kib: must be a number, is the string \"2\""},
      {R"({"size_kib": 2, "size_mib": 2})", 1,
       "core.size_mib: size_kib is given too; one of the two must go"},
  };
  for (const auto& [text, result, error] : cases) {
    CAPTURE(text);
    CHECK(errors_of(text, [&](ObjectReader& r) {
            CHECK(r.capacity("size", {1}, "the buffer") == result);
            r.finish();
          }) == error);
  }
}

TEST_CASE("arrays of numbers and names", "[config][reader]") {
  test::ReaderFixture sound(R"({"stride": [1, 2], "any": [], "x": [0.5, 1], "names": ["a", "b"],
                    "flows": ["input_stationary", "weight_stationary"]})");
  CHECK(sound.reader.counts<2>("stride", {1, 9}, "") == std::array<Count, 2>{1, 2});
  CHECK(sound.reader.counts("stride", {1, 4}, {1, 9}, "") == std::vector<Count>{1, 2});
  CHECK(sound.reader.counts("any", {}, {1, 9}, "").empty());
  CHECK(sound.reader.numbers("x", {1}, RealRange::share(), "") == std::vector<double>{0.5, 1});
  CHECK(sound.reader.optional_texts("names", "") == std::vector<std::string>{"a", "b"});
  CHECK(sound.reader.optional_choices<Flow>("flows", kFlows, "") ==
        std::vector<Flow>{Flow::input, Flow::weight});
  CHECK(sound.errors().empty());

  const auto pair = [](ObjectReader& r) { CHECK(r.counts<2>("stride", {1, 9}, "").at(1) >= 1); };
  const std::string wanted = "core.stride: must be an array of 2 integers from 1 to 9, is ";
  CHECK(errors_of(R"({"stride": [1]})", pair) == wanted + "an array of 1: [1]");
  CHECK(errors_of(R"({"stride": [1, 1, 1]})", pair) == wanted + "an array of 3: [1,1,1]");
  CHECK(errors_of(R"({"stride": 2})", pair) == wanted + "2");
  CHECK(errors_of(R"({"stride": {"x": 2}})", pair) == wanted + "the object {\"x\":2}");
  CHECK(errors_of(R"({"stride": [0, "1"]})", pair) ==
        "core.stride[0]: must be from 1 to 9, is 0\n"
        "core.stride[1]: must be an integer from 1 to 9, is the string \"1\"");
  CHECK(
      errors_of(R"({"n": [1, 2, 3]})", [](auto& r) {
        r.counts("n", {1, 2}, {}, "");
      }) == "core.n: must be an array of 1 to 2 integers of at least 0, is an array of 3: [1,2,3]");
  CHECK(errors_of(R"({"n": ["a", 1, ""]})", [](auto& r) { r.optional_texts("n", ""); }) ==
        "core.n[1]: must be a string, is 1\ncore.n[2]: must not be an empty string");
  CHECK(errors_of(R"({"n": ["input_stationary", "out"]})",
                  [](auto& r) { r.template optional_choices<Flow>("n", kFlows, ""); }) ==
        "core.n[1]: must be one of weight_stationary, output_stationary, input_stationary, is "
        "\"out\"");
}

TEST_CASE("maps of numbers", "[config][reader]") {
  const std::array<std::string_view, 3> dtypes{"int8", "int16", "fp16"};
  const auto read = [&](ObjectReader& r) {
    r.number_map("throughput", dtypes, RealRange::positive(), "share of the peak");
  };
  test::ReaderFixture sound(R"({"throughput": {"int16": 0.25, "source": "paper", "int8": 1}})");
  CHECK(sound.reader.number_map("throughput", dtypes, RealRange::positive(), "") ==
        std::vector<std::pair<std::string, double>>{{"int16", 0.25}, {"int8", 1}});
  CHECK(sound.reader.number_map("throughput", {}, RealRange::positive(), "").size() == 2);
  CHECK(sound.errors().empty());
  CHECK(errors_of(R"({"throughput": {"int8": 0, "itn8": 1, "x": 1, "fp16": "1"}})", read) ==
        "core.throughput.int8: must be more than 0, is 0\n"
        "core.throughput.itn8: unknown key; did you mean \"int8\"?\n"
        "core.throughput.x: unknown key; may be int8, int16, fp16\n"
        "core.throughput.fp16: must be a number of more than 0, is the string \"1\"");
  CHECK(errors_of(R"({"throughput": {}})", read) ==
        "core.throughput: must be an object of numbers of more than 0 by int8, int16, fp16, is the "
        "object {}");
  CHECK(errors_of(R"({"throughput": 1})", read) ==
        "core.throughput: must be an object of numbers of more than 0 by int8, int16, fp16, is 1");
}

}  // namespace
}  // namespace tilewave
