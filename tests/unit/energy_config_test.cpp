// SPDX-License-Identifier: Apache-2.0
// Reading energy tables: what a file may leave to others, and one clear message per fault.
#include "arch/energy/energy_config.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "support/catch.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::WithinRel;
using test::contains;

const std::string kFull = R"({ "name": "full", "node_nm": 40, "source": "made up",
  "mac_pj": { "source": "made up",
              "int8": { "multiply": 0.2, "accumulate": 0.1, "source": "made up" },
              "int32": { "multiply": 3, "accumulate": 1 },
              "fp64": { "multiply": 10, "accumulate": 2 } },
  "vector_op_pj": { "32": { "multiply": 3, "add": 1 } },
  "register_pj_per_bit": 0.01, "wire_pj_per_bit_mm": 0.1,
  "sram_access": { "access_bits": 64, "banks": [
    { "capacity_kib": 8, "read_pj": 10, "write_pj": 12 },
    { "capacity_mib": 1, "read_pj": 100, "write_pj": 110 } ] },
  "dram_pj_per_bit": { "ddr3": 20, "source": { "ddr3": "made up" } },
  "host_link_pj_per_bit": { "pcie": 4 },
  "leakage": { "sram_mw_per_mib": 100, "pe_uw": 10, "lane_uw": 100 } })";

/// A folder of tables that is gone when the test ends.
class Folder {
 public:
  Folder() {
    path_ = fs::temp_directory_path() / ("tilewave_energy_" + std::to_string(::getpid()));
    fs::create_directories(path_);
    write("full", kFull);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / (name + ".json")) << text;
  }
  std::optional<EnergyTable> load(const std::string& name, Diagnostics& diagnostics) const {
    return load_energy_table(path_ / (name + ".json"), path_, diagnostics);
  }
  /// The faults of a text, without the file's name.
  std::vector<std::string> faults(const std::string& text) const {
    write("tested", text);
    Diagnostics diagnostics;
    CHECK_FALSE(load("tested", diagnostics).has_value());
    std::vector<std::string> lines;
    for (const auto& fault : diagnostics.errors())
      lines.push_back(fault.path + ": " + fault.message);
    return lines;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("energy config: a complete file") {
  const Folder folder;
  Diagnostics diagnostics;
  const auto table = folder.load("full", diagnostics);
  diagnostics.throw_if_errors();
  REQUIRE(table);
  CHECK(table->name == "full");
  CHECK(table->node_nm == 40);
  CHECK_THAT(table->mac_pj(DataType::int8), WithinRel(0.3, 1e-12));
  CHECK(table->vector_op_pj(32) == 4.0);
  CHECK_THAT(table->register_pj_per_byte(), WithinRel(0.08, 1e-12));
  CHECK_THAT(table->wire_pj_per_byte_mm(), WithinRel(0.8, 1e-12));
  CHECK_THAT(table->sram_write_pj_per_byte(1024 * 1024), WithinRel(110.0 / 8, 1e-12));
  CHECK(table->dram_pj_per_byte("ddr3") == 160.0);
  CHECK(table->host_link_pj_per_byte("pcie") == 32.0);
  CHECK_FALSE(table->has_dram_kind("source"));
  CHECK_THAT(table->leakage_w(1024 * 1024, 1000, 100), WithinRel(0.1 + 0.01 + 0.01, 1e-12));
}

TEST_CASE("energy config: extends changes what it names and keeps the rest") {
  const Folder folder;
  folder.write("other", R"({ "extends": "full", "name": "other",
    "mac_pj": { "int8": { "multiply": 0.4 } }, "dram_pj_per_bit": { "hbm2": 4 } })");
  Diagnostics diagnostics;
  const auto table = folder.load("other", diagnostics);
  diagnostics.throw_if_errors();
  REQUIRE(table);
  CHECK(table->name == "other");
  CHECK_THAT(table->mac_pj(DataType::int8), WithinRel(0.5, 1e-12));
  CHECK(table->dram_pj_per_byte("hbm2") == 32.0);
  CHECK(table->dram_pj_per_byte("ddr3") == 160.0);
}

TEST_CASE("energy config: between interpolates, and keeps what the file gives") {
  const Folder folder;
  folder.write("newer", R"({ "extends": "full", "name": "newer", "node_nm": 10,
    "register_pj_per_bit": 0.0025, "leakage": { "pe_uw": 2.5, "lane_uw": 25 } })");
  folder.write("middle", R"({ "name": "middle", "node_nm": 20,
    "between": { "older": "full", "newer": "newer.json" },
    "mac_pj": { "int4": { "multiply": 0.05, "accumulate": 0.05 } }, "leakage": { "pe_uw": 7 } })");
  Diagnostics diagnostics;
  const auto table = folder.load("middle", diagnostics);
  diagnostics.throw_if_errors();
  REQUIRE(table);
  CHECK(table->name == "middle");
  CHECK_THAT(table->register_pj_per_bit, WithinRel(0.005, 1e-12));
  CHECK(table->mac_pj(DataType::int8) == 0.2 + 0.1);
  CHECK(table->mac_pj(DataType::int4) == 0.05 + 0.05);
  CHECK(table->leakage.pe_uw == 7.0);
  CHECK_THAT(table->leakage.lane_uw, WithinRel(50.0, 1e-12));
}

TEST_CASE("energy config: one message per fault, all of a file together") {
  const Folder folder;
  auto text = replaced(kFull, R"("int8":)", R"("int9":)");
  text = replaced(text, R"("ddr3": 20)", R"("ddr3": "20")");
  text = replaced(text, R"("wire_pj_per_bit_mm": 0.1)", R"("wire_pj_per_bit_mm": -1)");
  text = replaced(text, R"("pe_uw")", R"("pe_w")");
  const auto faults = folder.faults(text);
  REQUIRE(faults.size() == 4);
  CHECK_THAT(faults[0], contains("mac_pj.int9: unknown data type; did you mean \"int"));
  CHECK_THAT(faults[1], contains("wire_pj_per_bit_mm: must be"));
  CHECK_THAT(faults[2], contains("dram_pj_per_bit.ddr3: must be"));
  CHECK_THAT(faults[3], contains("leakage.pe_w: "));
}

TEST_CASE("energy config: faults across values") {
  const Folder folder;
  const auto only = [&](const std::string& text) {
    const auto faults = folder.faults(text);
    REQUIRE(faults.size() == 1);
    return faults[0];
  };
  CHECK_THAT(only(replaced(kFull, R"("int32": { "multiply": 3, "accumulate": 1 },)", "")),
             contains("mac_pj: needs an entry for int32"));
  CHECK_THAT(only(replaced(kFull, R"("capacity_kib": 8)", R"("capacity_mib": 2)")),
             contains("sram_access.banks[1]: capacity must be above"));
  CHECK_THAT(only(replaced(kFull, R"("read_pj": 100)", R"("read_pj": 9)")),
             contains("sram_access.banks[1]: a larger bank must not cost less"));
  CHECK_THAT(only(replaced(kFull, R"("32": {)", R"("33": {)")), contains("vector_op_pj"));
  CHECK_THAT(only(R"({ "extends": "ful", "name": "x" })"),
             contains("extends: no energy table \"ful\"; did you mean \"full\"?"));
  CHECK_THAT(only(R"({ "name": "x", "node_nm": 50,
                       "between": { "older": "full", "newer": "full" } })"),
             contains("between: node_nm must lie between"));
  CHECK_THAT(only(R"({ "extends": "tested" })"), contains("extends: rests on more than"));
}

TEST_CASE("energy config: names and paths") {
  const Folder folder;
  CHECK(find_energy_table("full", folder.path(), "/elsewhere").value ==
        folder.path() / "full.json");
  CHECK(find_energy_table("mine.json", folder.path(), "/elsewhere").value ==
        fs::path("/elsewhere/mine.json"));
  const auto unknown = find_energy_table("xyz", folder.path(), "/elsewhere");
  CHECK_FALSE(unknown.value.has_value());
  CHECK_THAT(unknown.fault, contains("no energy table \"xyz\"") && contains("full"));
}

}  // namespace
}  // namespace tilewave
