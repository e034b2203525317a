// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "support/catch.hpp"

#include "sim/config/json_cache.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/text_file.hpp"

namespace tilewave {
namespace {

/// All errors of parsing `text`, one a line.
std::string errors_of(std::string_view text) {
  Diagnostics diagnostics;
  (void)parse_json(text, "x.json", diagnostics);
  std::string all;
  for (const Fault& fault : diagnostics.errors()) {
    all += (all.empty() ? "" : "\n") + format(fault);
  }
  return all;
}

std::optional<Json> parsed(std::string_view text) {
  Diagnostics diagnostics;
  auto value = parse_json(text, "x.json", diagnostics);
  CHECK(diagnostics.ok());
  return value;
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    out += part;
  }
  return out;
}

/// Only keys given twice: the value was read all the same.
bool is_about_keys(const Diagnostics& diagnostics) {
  return std::all_of(diagnostics.errors().begin(), diagnostics.errors().end(),
                     [](const Fault& fault) { return !fault.path.empty(); });
}

class TempFolder {
 public:
  TempFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("tilewave_json_file_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST_CASE("sound JSON is read as it is written", "[config][json]") {
  const auto value =
      parsed(R"({"z": 1, "a": [true, null, -2, 2.5, "é\n\u00e9😀"], "m": {"k": {}}})");
  REQUIRE(value);
  CHECK(value->dump() == R"({"z":1,"a":[true,null,-2,2.5,"é\né😀"],"m":{"k":{}}})");
  CHECK(parsed("  7 \r\n") == Json(7));
  CHECK(parsed("[]") == Json::array());
  CHECK(parsed("{\"a\":[[],{}]}")->dump() == R"({"a":[[],{}]})");
  CHECK(parsed("18446744073709551615") == Json(UINT64_MAX));
  CHECK(parsed("-9223372036854775808") == Json(INT64_MIN));
  CHECK(parsed("1e3")->is_number_float());
  SECTION("after a byte order mark") {
    CHECK(parsed("\xEF\xBB\xBF{\"a\": 1}")->dump() == R"({"a":1})");
  }
  SECTION("with the ends of lines of any system") {
    CHECK(parsed("{\r\n\"a\":\r\n1}")->dump() == R"({"a":1})");
  }
}

TEST_CASE("broken JSON is explained with line and column", "[config][json]") {
  const struct {
    std::string text, error;  // without the file
  } cases[] = {
      {"", " is empty"},
      {"\xEF\xBB\xBF", " is empty"},
      {" \n\t", " is empty but for white space"},
      {"{\"a\": 1,}", "1:9: no comma may stand before '}'"},
      {"[1,\n 2,\n]", "3:1: no comma may stand before ']'"},
      {"[,1]", "1:2: no comma may follow '['"},
      {"[1,,2]", "1:4: two commas in a row"},
      {"{\"a\": 1 \"b\": 2}", "1:9: a comma is missing before this"},
      {"[1\n 2]", "2:2: a comma is missing before this"},
      {"[{} {}]", "1:5: a comma is missing before this"},
      {"[1:2]", "1:3: ':' in an array: only objects have keys"},
      {"{\"a\":1:2}", "1:7: unexpected ':' after a value"},
      {"{\"rows\" 1}", "1:9: ':' is missing after the key \"rows\""},
      {"{\"rows\"}", "1:8: ':' is missing after the key \"rows\""},
      {"{\"rows\":}", "1:9: the key \"rows\" has no value"},
      {"{\"rows\":,", "1:9: the key \"rows\" has no value"},
      {"{1: 2}", "1:2: a key in double quotes should be here, not '1'"},
      {"{\"a\": 1, [", "1:10: a key in double quotes should be here, not '['"},
      {"{rows: 1}", "1:2: the key rows must be in double quotes"},
      {"{\"a\": 1, rows: 1}", "1:10: the key rows must be in double quotes"},
      {"{'a': 1}", "1:2: strings and keys are written in double quotes (\")"},
      {"{\"a\": tpu_v1}", "1:7: unexpected word \"tpu_v1\"; strings are written in double quotes"},
      {"{\"a\": True}", "1:7: write true in lower case"},
      {"{\"a\": None}", "1:7: write null for None"},
      {"{\"a\": NaN}", "1:7: NaN is no number in JSON: every number is finite"},
      {"[-Infinity]", "1:2: -Infinity is no number in JSON: every number is finite"},
      {"[inf]", "1:2: inf is no number in JSON: every number is finite"},
      {"[nul]", "1:2: unexpected word \"nul\"; strings are written in double quotes"},
      {"[1e999]", "1:2: the number \"1e999\" is too large"},
      {"[-1e999]", "1:2: the number \"-1e999\" is too large"},
      {"[012]", "1:2: a number must not begin with 0"},
      {"[1.]", "1:2: \"1.\" is not how JSON writes a number"},
      {"[.5]", "1:2: \".5\" is not how JSON writes a number"},
      {"[+1]", "1:2: \"+1\" is not how JSON writes a number"},
      {"[-]", "1:2: \"-\" is not how JSON writes a number"},
      {"{\n// rows\n}", "2:1: JSON has no comments; a \"note\" key may hold one"},
      {"# rows", "1:1: JSON has no comments; a \"note\" key may hold one"},
      {"[1, @]", "1:5: unexpected '@'"},
      {"[1, é]", "1:5: unexpected a character outside ASCII"},
      {"[\x01]", "1:2: unexpected the control character 0x01"},
      {"[\"ab\ncd\"]", "1:5: a string must end on the line it begins in: a '\"' is missing"},
      {"[\"a\tb\"]", "1:4: a string must not hold the control character 0x09; write it as \\u0009"},
      {"[\"C:\\Data\"]", "1:6: unknown escape \\D in a string; a backslash is written \\\\"},
      {"[\"\\u12\"]",
       "1:7: a \\u escape in a string takes four hexadecimal digits, and halves of a surrogate "
       "pair "
       "come in twos"},
      {"[\"\\ud800x\"]",
       "1:9: a \\u escape in a string takes four hexadecimal digits, and halves of a surrogate "
       "pair "
       "come in twos"},
      {"{\"a\": [1, 2\n",
       "2:1: the text ends before the array opened in line 1 is closed with ']'"},
      {"[\n{\"a\": ", "2:7: the text ends before the object opened in line 2 is closed with '}'"},
      {"[\"abc", "1:6: the text ends inside a string"},
      {"01", "1:1: a number must not begin with 0"},
      {"[1, 2, 3, 4 5]", "1:13: a comma is missing before this"},
      {"[1, 2, 3, 4, x]", "1:14: unexpected word \"x\"; strings are written in double quotes"},
      {"[1, 2,", "1:7: the text ends before the array opened in line 1 is closed with ']'"},
      {"tru", "1:1: unexpected word \"tru\"; strings are written in double quotes"},
      {"[1}", "1:3: '}' does not close the array opened in line 1"},
      {"{\"a\": 1]", "1:8: ']' does not close the object opened in line 1"},
      {"]", "1:1: ']' closes nothing"},
      {":", "1:1: unexpected ':' where a value should be"},
      {"{} {}", "1:4: unexpected text after the end of the JSON value"},
      {"1 2", "1:3: unexpected text after the end of the JSON value"},
      {"{\"é\": x}", "1:7: unexpected word \"x\"; strings are written in double quotes"},
  };
  for (const auto& [text, error] : cases) {
    CAPTURE(text);
    CHECK(errors_of(text) == "x.json:" + error);
  }
}

TEST_CASE("what is no text is refused", "[config][json]") {
  const struct {
    std::string text, error;
  } cases[] = {
      {"{\n\"a\": \"\xFF\"}", "x.json:2:7: the byte 0xff here is not UTF-8"},
      {"\"\xC3\"", "x.json:1:2: the byte 0xc3 here is not UTF-8"},
      {"\"\xC0\xAF\"", "x.json:1:2: the byte 0xc0 here is not UTF-8"},          // overlong
      {"\"\xE0\x80\xAF\"", "x.json:1:2: the byte 0xe0 here is not UTF-8"},      // overlong
      {"\"\xED\xA0\x80\"", "x.json:1:2: the byte 0xed here is not UTF-8"},      // surrogate
      {"\"\xF4\x90\x80\x80\"", "x.json:1:2: the byte 0xf4 here is not UTF-8"},  // over U+10FFFF
      {"\"\xF0\x9F\x98\"", "x.json:1:2: the byte 0xf0 here is not UTF-8"},      // cut short
      {std::string("{\"a\": 1}\0{", 10), "x.json:1:9: a NUL byte: this is no text file"},
      {std::string("\xFF\xFE{\0}\0", 6), "x.json: is UTF-16; save it as UTF-8"},
  };
  for (const auto& [text, error] : cases) {
    CAPTURE(error);
    CHECK(errors_of(text) == error);
  }
}

TEST_CASE("a key given twice is an error wherever it is", "[config][json]") {
  CHECK(errors_of("{\"a\": 1,\n \"a\": 1}") ==
        "x.json:2: a: the key is given twice; the first is in line 1");
  CHECK(errors_of(R"({"ops": [{"m": 1}, {"m": 1, "n": {"k": 1, "k": 2}, "m": 3}]})") ==
        "x.json:1: ops[1].n.k: the key is given twice; the first is in line 1\n"
        "x.json:1: ops[1].m: the key is given twice; the first is in line 1");
  SECTION("also inside the second one, and the value can be read on") {
    Diagnostics diagnostics;
    const auto value =
        parse_json(R"({"a": {"x": 1}, "b": 2, "a": {"y": 1, "y": [2]}})", "x.json", diagnostics);
    REQUIRE(value);
    CHECK(value->dump() == R"({"a":{"y":[2]},"b":2})");
    CHECK(diagnostics.errors().size() == 2);
  }
  SECTION("equal keys of different objects are not twice") {
    CHECK(errors_of(R"([{"a": {"a": 1}}, {"a": 1}])").empty());
  }
}

TEST_CASE("nesting is limited, not the stack", "[config][json]") {
  const std::string limit = "objects and arrays are nested more than 200 deep";
  CHECK(errors_of(repeated("[", 100'000)) == "x.json:1:201: " + limit);
  CHECK(errors_of(repeated("{\"a\":", 100'000)) == "x.json:1:1001: " + limit);
  CHECK(errors_of(repeated("[", 100'000) + repeated("]", 100'000)) == "x.json:1:201: " + limit);
  CHECK(errors_of(repeated("[", 200) + repeated("]", 200)).empty());
  CHECK(errors_of(repeated("[", 201) + repeated("]", 201)) == "x.json:1:201: " + limit);
  SECTION("width is not depth") { CHECK(errors_of("[" + repeated("[[]],", 1000) + "[]]").empty()); }
}

TEST_CASE("an object of many keys takes time linear in their number", "[config][json]") {
  std::string text = "{";
  for (int i = 0; i < 40'000; ++i) {  // a quadratic search would run into the time limit
    text += "\"key" + std::to_string(i) + "\": 0,\n";
  }
  text += "\"key5\": 1}";
  CHECK(errors_of(text) == "x.json:40001: key5: the key is given twice; the first is in line 6");
}

TEST_CASE("damaged JSON is read as JSON or explained, never worse", "[config][json]") {
  const std::string sound =
      R"({"name": "tpu", "core": {"rows": 256, "share": -0.5e-3, "on": true, "off": null},
 "ops": [{"m": 12, "k": [1, 2.0, []]}, "\u00e9\n\"é"], "deep": [[[{}]]]})";
  const std::string bytes = "{}[]:,\"\\ \n0159.eE+-truefalsnNI/#'\xC3\xA9\x01";
  std::mt19937_64 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int sound_still = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = sound;
    for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text.erase(at, 1 + below(4));
          break;
        case 1:
          text.insert(at, 1, bytes[below(bytes.size())]);
          break;
        case 2:
          text[at] = bytes[below(bytes.size())];
          break;
        default:
          text.resize(at);
      }
    }
    CAPTURE(text);
    Diagnostics diagnostics;
    const bool read = parse_json(text, "x.json", diagnostics).has_value();
    sound_still += read ? 1 : 0;
    if (read != Json::accept(text) || read == (!diagnostics.ok() && !is_about_keys(diagnostics))) {
      FAIL("read: " << read);
    }
    for (const Fault& fault : diagnostics.errors()) {
      const std::string line = format(fault);
      if (fault.message.empty() || line.find('\n') != std::string::npos ||
          line.find("json.exception") != std::string::npos) {
        FAIL(line);
      }
    }
  }
  CHECK(sound_still > 100);  // the damage is neither nothing nor everything
  CHECK(sound_still < 2900);
}

TEST_CASE("a file that cannot be read is one clear error", "[config][json]") {
  const TempFolder folder;
  const auto error_of = [](const std::filesystem::path& path) {
    Diagnostics diagnostics;
    CHECK_FALSE(load_json_file(path, diagnostics));
    REQUIRE(diagnostics.errors().size() == 1);
    CHECK(diagnostics.errors().front().file == path.string());
    return diagnostics.errors().front().message;
  };
  CHECK(error_of(folder.path() / "none.json") == "no such file");
  CHECK(error_of(folder.path()) == "is a directory, not a file");
  CHECK(error_of(folder.write("empty.json", "")) == "is empty");
  CHECK(error_of(folder.write("broken.json", "{")) ==
        "the text ends before the object opened in line 1 is closed with '}'");
  CHECK(error_of("") == "no such file");
  if (::geteuid() != 0) {  // root may read everything
    const auto secret = folder.write("secret.json", "{}");
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    CHECK_THAT(error_of(secret), test::contains("cannot be opened: "));
  }
}

TEST_CASE("a file is read whole, up to the limit", "[config][json]") {
  const TempFolder folder;
  Diagnostics diagnostics;
  CHECK(load_json_file(folder.write("a.json", "{\"a\": [1]}"), diagnostics)->dump() ==
        R"({"a":[1]})");
  const std::string large(200'000, ' ');
  const auto path = folder.write("large.json", large);
  CHECK(read_file(path, diagnostics) == large);
  CHECK(read_file(path, diagnostics, 200'000) == large);
  CHECK(diagnostics.ok());
  CHECK_FALSE(read_file(path, diagnostics, 199'999));
  CHECK(format(diagnostics.errors().at(0)) == path.string() + ": is larger than 199999 bytes");
  SECTION("of a larger one, nothing is read") {
    const auto sparse = folder.write("sparse.json", "");
    std::filesystem::resize_file(sparse, std::uintmax_t{1} << 40U);
    Diagnostics faults;
    CHECK_FALSE(load_json_file(sparse, faults));
    CHECK(format(faults.errors().at(0)) == sparse.string() + ": is larger than 64 MiB");
  }
}

TEST_CASE("a file that was read is read again when it has changed", "[config][json]") {
  const TempFolder folder;
  const auto file = folder.write("a.json", "[1]");
  const auto age = [&](int seconds) {  // ends before now: the file may be remembered
    const timespec then{.tv_sec = std::time(nullptr) - seconds, .tv_nsec = 0};
    const timespec times[2]{then, then};
    REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  };
  const auto content = [&] {
    Diagnostics none;
    return load_json_file(file, none)->dump();
  };
  age(100);
  CHECK(content() == "[1]");
  std::ofstream(file) << "[2]";
  age(100);  // same size, same time of its content
  CHECK(content() == "[2]");
  const auto preset =
      std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs" / "energy" / "28nm.json";
  Diagnostics none;
  const auto first = load_shared_json(preset, none), second = load_shared_json(preset, none);
  CHECK(*first == *second);
  auto changed = load_json_file(preset, none);
  changed->clear();
  CHECK(load_json_file(preset, none)->size() > 1);
}

TEST_CASE("what may never come to an end is no file", "[config][json]") {
  const TempFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path :
       {pipe.string(), std::string("/dev/zero"), std::string("/dev/null")}) {
    Diagnostics faults;
    CHECK_FALSE(read_file(path, faults));
    CHECK(format(faults.errors().at(0)) == path + ": is no regular file");
  }
  SECTION("but a pipe that is open already is, as a shell gives it") {
    int ends[2]{};
    REQUIRE(::pipe(ends) == 0);
    REQUIRE(::write(ends[1], "[1]", 3) == 3);
    ::close(ends[1]);
    Diagnostics faults;
    CHECK(read_file("/dev/fd/" + std::to_string(ends[0]), faults) == "[1]");
    ::close(ends[0]);
  }
}

TEST_CASE("values are limited, not the memory", "[config][json]") {
  const std::string most = repeated("0,", kMaxJsonValues - 2) + "0]";
  CHECK(errors_of("[" + most).empty());
  CHECK(errors_of("[0," + most) == "x.json:1: has more than 8388608 values");
}

}  // namespace
}  // namespace tilewave
