// SPDX-License-Identifier: Apache-2.0
// Finding memories and their standards by name or file; changes that another file makes.
#include "app/library/dram_library.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "support/catch.hpp"
#include "support/dram_files.hpp"

#include "sim/config/text_file.hpp"

using namespace tilewave;
using namespace tilewave::test;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone when the test ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tilewave_dram_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<std::string> lines(const Diagnostics& diagnostics) {
  std::vector<std::string> all;
  for (const Fault& fault : diagnostics.errors()) all.push_back(format(fault));
  return all;
}

}  // namespace

TEST_CASE("memories are listed in the order of names, with what they are", "[dram][library]") {
  const auto entries = list_dram(source_configs());
  REQUIRE(entries.size() == 14);
  CHECK(entries.front().name == "ddr3_2133");
  CHECK(entries.back().name == "lpddr5_6400");
  const auto at = [&](std::size_t i) { return entries[i].name; };
  CHECK(at(4) == "gddr6_14000");  // gddr5, gddr5x, gddr6
  CHECK(at(5) == "hbm2_2000");
  CHECK(at(10) == "hbm4_8000");
  CHECK_THAT(entries.front().description, contains("17.1 GB/s, 4 GiB"));
}

TEST_CASE("a memory in short", "[dram][library]") {
  CHECK(describe_dram(dram_preset("hbm2_2000")) == "8 x 2 x 64 bits at 2 Gb/s, 256 GB/s, 16 GiB");
}

TEST_CASE("a memory by name, by file, with its standard in it", "[dram][library]") {
  const Folder folder;
  Diagnostics diagnostics;
  const auto by_name = load_dram("hbm3_5200", source_configs(), diagnostics);
  REQUIRE(by_name);
  const Json resolved = to_json(*by_name);

  Json copy = resolved;
  copy.erase("name");
  folder.write("mine.json", copy.dump());
  const auto inlined = load_dram("mine.json", {}, source_configs(), folder.path(), diagnostics);
  REQUIRE(inlined);
  CHECK(inlined->name == "mine");
  Json expected = resolved;
  expected["name"] = "mine";
  CHECK(to_json(*inlined) == expected);

  folder.write("rules.json", copy.at("standard").dump());
  copy["standard"] = "rules.json";
  folder.write("other.json", copy.dump());
  const auto beside =
      load_dram((folder.path() / "other.json").string(), source_configs(), diagnostics);
  REQUIRE(beside);
  expected["name"] = "other";
  CHECK(to_json(*beside) == expected);
  CHECK(diagnostics.errors().empty());
}

TEST_CASE("a memory or a standard that is not there", "[dram][library]") {
  const Folder folder;
  const auto fault = [&](const std::string& name) {
    Diagnostics diagnostics;
    CHECK_FALSE(load_dram(name, {{}, "arch.json", "memory.dram.preset"}, source_configs(),
                          folder.path(), diagnostics));
    REQUIRE(diagnostics.errors().size() == 1);
    return format(diagnostics.errors().front());
  };
  CHECK(fault("hbm2_200") ==
        "arch.json: memory.dram.preset: no memory \"hbm2_200\"; did you mean \"hbm2_2000\"?");
  CHECK_THAT(fault("sram"), contains("no memory \"sram\"; may be ddr3_2133, ddr4_3200, gddr5"));
  CHECK(fault("none.json") ==
        "arch.json: memory.dram.preset: no such file: " + (folder.path() / "none.json").string());
  const auto fault_of = [&](const std::string& text) {
    folder.write("x.json", text);
    Diagnostics diagnostics;
    const auto file = (folder.path() / "x.json").string();
    CHECK_FALSE(load_dram(file, source_configs(), diagnostics));
    REQUIRE(diagnostics.errors().size() == 1);
    CHECK(diagnostics.errors().front().file == file);
    return diagnostics.errors().front().path + ": " + diagnostics.errors().front().message;
  };
  CHECK(fault_of(R"({"standard": "hbm5"})") ==
        "standard: no DRAM standard \"hbm5\"; did you mean \"hbm\"?");
  CHECK(fault_of(R"({"standard": 5})") == "standard: must be a string, is 5");
  CHECK(fault_of("[]") == ": a memory is a JSON object, this is the array []");
  CHECK_THAT(fault_of("{"), contains("the text ends before"));
}

TEST_CASE("changes to a memory are merged, their faults are the other file's", "[dram][library]") {
  Diagnostics diagnostics;
  DramOverrides overrides{{}, "arch.json", "memory.dram.override"};
  const auto load = [&] {
    return load_dram("hbm2_2000", overrides, source_configs(), fs::path(), diagnostics);
  };
  overrides.values = {{"data_rate_mbps", 1600},
                      {"organisation", {{"channels", 5}}},
                      {"controller", {{"refresh", "per_bank"}}}};
  const auto dram = load();
  REQUIRE(dram);
  CHECK(dram->peak_gb_per_s() == Approx(1600 * 128 * 5 / 8e3));
  CHECK(dram->controller.refresh == DramRefresh::per_bank);
  CHECK(dram->timing("nCL") == 14);

  overrides.values = {{"organisation", {{"banks", 3}}}, {"timing_cycles", {{"nCCDL", 1}}}};
  CHECK_FALSE(load());
  CHECK(lines(diagnostics) ==
        std::vector<std::string>{"arch.json: memory.dram.override.organisation.banks: must be a "
                                 "power of two, is 3"});
  // --set of the other file's value keeps its name.
  Diagnostics set;
  set.set_origin("arch.json", "memory.dram.override.timing_cycles.nCCDL", "--set");
  overrides.values = {{"timing_cycles", {{"nCCDL", 1}}}};
  CHECK_FALSE(load_dram("hbm2_2000", overrides, source_configs(), fs::path(), set));
  CHECK(lines(set) == std::vector<std::string>{"--set: memory.dram.override.timing_cycles.nCCDL: "
                                               "must be at least nCCDS, 2, is 1"});
}

TEST_CASE("the memory in the document can be read", "[dram][library][docs]") {
  const Folder folder;
  Diagnostics diagnostics;
  const auto page = read_file(fs::path(TILEWAVE_TEST_DIR) / "../docs/dram_file.md", diagnostics);
  REQUIRE(page);
  const auto begin = page->find("```json\n") + 8;
  folder.write("example.json", page->substr(begin, page->find("```", begin) - begin));
  const auto dram = load_dram("example.json", {}, source_configs(), folder.path(), diagnostics);
  CHECK(lines(diagnostics).empty());
  REQUIRE(dram);
  CHECK(dram->capacity_bytes() == Bytes{8} << 30);
}
