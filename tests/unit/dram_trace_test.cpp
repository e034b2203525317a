// SPDX-License-Identifier: Apache-2.0
// Traces of memory requests: their forms, and what is wrong with a line.
#include "app/dram/dram_trace.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/catch.hpp"

using namespace tilewave;
using tilewave::test::contains;
namespace fs = std::filesystem;

namespace {

/// A trace that is gone when the test ends.
class TraceFile {
 public:
  explicit TraceFile(const std::string& text = "")
      : path_(fs::temp_directory_path() /
              fmt::format("tilewave_trace_{}_{}", ::getpid(), count_++)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TraceFile() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  static inline int count_ = 0;
  fs::path path_;
};

struct Request {
  std::uint64_t address;
  bool write;
  friend bool operator==(const Request&, const Request&) = default;
};

std::vector<Request> rest_of(TraceTraffic& trace) {
  std::vector<Request> requests;
  DramAccess access;
  while (trace.next(access)) requests.push_back({access.address, access.write});
  return requests;
}

std::vector<Request> read(const std::string& text) {
  const TraceFile file(text);
  Diagnostics diagnostics;
  const auto trace = TraceTraffic::open(file.name(), diagnostics);
  diagnostics.throw_if_errors();
  return rest_of(*trace);
}

/// The one fault of a trace, with the file's name left out; "" if there is none.
std::string fault(const std::string& text) {
  const TraceFile file(text);
  Diagnostics diagnostics;
  std::string words;
  try {
    const auto trace = TraceTraffic::open(file.name(), diagnostics);
    diagnostics.throw_if_errors();
    (void)rest_of(*trace);
  } catch (const ConfigError& error) {
    REQUIRE(error.faults().size() == 1);
    words = error.what();
    REQUIRE(words.starts_with(file.name()));
    words.erase(0, file.name().size());
  }
  return words;
}

}  // namespace

TEST_CASE("both forms, decimal and hexadecimal", "[dram][trace]") {
  CHECK(read("LD 0x1234\nST 1234\n0x1234 R\n1234 W\n") ==
        std::vector<Request>{{0x1234, false}, {1234, true}, {0x1234, false}, {1234, true}});
  CHECK(read("LD 0Xabcdef\n0xABCDEF W\nLD 0\nST 18446744073709551615\nST 0xFFFFFFFFFFFFFFFF") ==
        std::vector<Request>{{0xabcdef, false},
                             {0xabcdef, true},
                             {0, false},
                             {~std::uint64_t{0}, true},
                             {~std::uint64_t{0}, true}});
}

TEST_CASE("comments, empty lines, white space, line ends of other systems", "[dram][trace]") {
  CHECK(read("\xEF\xBB\xBF# a trace\n\n   \n\tLD\t 7  # seven\r\n  8 W\r\n#9 R\n") ==
        std::vector<Request>{{7, false}, {8, true}});
  CHECK(read("LD 1#x") == std::vector<Request>{{1, false}});
}

TEST_CASE("a trace longer than the buffer", "[dram][trace]") {
  std::string text;
  std::vector<Request> expected;
  for (std::uint64_t i = 0; i < 40000; ++i) {
    const std::uint64_t address = i * i;  // lines of all lengths, so that buffers end anywhere
    const bool write = i % 3 == 0;
    text += i % 2 == 0 ? fmt::format("{} {:#x}\n", write ? "ST" : "LD", address)
                       : fmt::format("{} {}\n", address, write ? 'W' : 'R');
    if (i % 1000 == 0) text += '#' + std::string(4000, 'x') + '\n';
    expected.push_back({address, write});
  }
  REQUIRE(text.size() > 500000);
  CHECK(read(text) == expected);
}

TEST_CASE("how far a trace has been read", "[dram][trace]") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "LD 0x1000\n";
  const TraceFile file(text);
  Diagnostics diagnostics;
  const auto trace = TraceTraffic::open(file.name(), diagnostics);
  REQUIRE(trace);
  DramAccess access;
  double before = 0;
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(trace->next(access));
    REQUIRE(trace->share_taken().has_value());
    CHECK(*trace->share_taken() >= before);
    before = *trace->share_taken();
    if (i == 499) CHECK(before == 0.5);
  }
  CHECK(before == 1);
  CHECK_FALSE(trace->next(access));
}

TEST_CASE("a trace from a pipe", "[dram][trace]") {
  const TraceFile place;
  fs::remove(place.name());
  REQUIRE(::mkfifo(place.name().c_str(), 0600) == 0);
  std::thread writer([&] {
    std::ofstream pipe(place.name());
    for (int i = 0; i < 20000; ++i) pipe << "LD " << i << '\n';
  });
  Diagnostics diagnostics;
  const auto trace = TraceTraffic::open(place.name(), diagnostics);
  const auto requests = trace ? rest_of(*trace) : std::vector<Request>();
  writer.join();
  REQUIRE(trace);
  CHECK_FALSE(trace->share_taken().has_value());
  REQUIRE(requests.size() == 20000);
  CHECK(requests.back() == Request{19999, false});
}

TEST_CASE("a line that is no request", "[dram][trace]") {
  const std::string form =
      "must be \"LD ADDRESS\", \"ST ADDRESS\", \"ADDRESS R\" or \"ADDRESS W\", is ";
  CHECK(fault("LD 1\nLOAD 2\n") == ":2: " + form + "\"LOAD 2\"");
  CHECK(fault("# c\n\nLD\n") == ":3: " + form + "\"LD\"");
  CHECK(fault("LD 1\n0x40") == ":2: " + form + "\"0x40\"");  // a file cut off
  CHECK(fault("LD 1 2\n") == ":1: " + form + "\"LD 1 2\"");
  CHECK(fault("ld 1\n") == ":1: " + form + "\"ld 1\"");
  CHECK(fault("0x40 X\n") == ":1: " + form + "\"0x40 X\"");
  CHECK(fault("R 0x40\n") == ":1: " + form + "\"R 0x40\"");
}

TEST_CASE("an address that is no number", "[dram][trace]") {
  const std::string rule = " is no address: digits, or 0x and hexadecimal digits";
  CHECK(fault("LD 1\nLD 0x\n") == ":2: \"0x\"" + rule);
  CHECK(fault("LD 0xG\n") == ":1: \"0xG\"" + rule);
  CHECK(fault("LD 12a\n") == ":1: \"12a\"" + rule);
  CHECK(fault("LD -1\n") == ":1: \"-1\"" + rule);
  CHECK(fault("LD 1.5\n") == ":1: \"1.5\"" + rule);
  CHECK(fault("LD 0x-1\n") == ":1: \"0x-1\"" + rule);
  CHECK(fault("nan R\n") == ":1: \"nan\"" + rule);
  CHECK(fault("LD 18446744073709551616\n") == ":1: \"18446744073709551616\" is more than 64 bits");
  CHECK(fault("0x10000000000000000 W\n") == ":1: \"0x10000000000000000\" is more than 64 bits");
}

TEST_CASE("what is no trace at all", "[dram][trace]") {
  CHECK(fault("") == ": has no request");
  CHECK(fault("\n# only words\n\n") == ": has no request");
  CHECK_THAT(fault(std::string("\x7F"
                               "ELF\x02\x01\0\0\0\n",
                               10)),
             contains(":1: must be"));
  CHECK(fault(std::string(100000, 'x')) == ":1: is longer than 4096 characters: this is no trace");
  CHECK(fault("LD 1\n" + std::string(70000, '\0')) ==
        ":2: is longer than 4096 characters: this is no trace");

  Diagnostics diagnostics;
  CHECK(TraceTraffic::open("no/such.trace", diagnostics) == nullptr);
  CHECK(TraceTraffic::open(fs::temp_directory_path().string(), diagnostics) == nullptr);
  REQUIRE(diagnostics.errors().size() == 2);
  CHECK(format(diagnostics.errors()[0]) == "no/such.trace: no such file");
  CHECK_THAT(format(diagnostics.errors()[1]), contains("is a directory, not a file"));
}
