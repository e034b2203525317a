// SPDX-License-Identifier: Apache-2.0
#include "app/library/arch_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "app/library/arch_document.hpp"
#include "app/library/arch_presets.hpp"

namespace tilewave {
namespace {

namespace fs = std::filesystem;
using test::contains;

/// A folder with presets, gone with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tilewave-arch-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    fs::create_directories(root_ / "arch");
    fs::copy(fs::path(TILEWAVE_TEST_DIR).parent_path() / "configs" / "energy", root_ / "energy");
  }
  ~Folder() { fs::remove_all(root_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path file = root_ / "arch" / name;
    std::ofstream(file) << text;
    return file;
  }
  const fs::path& path() const { return root_; }

 private:
  fs::path root_;
};

/// A machine with 4 rows; `more` are further members, each followed by a comma.
std::string machine(const std::string& more = "") {
  return "{" + more + R"("clock_ghz": 1.0, "energy": "45nm",
    "core": {"type": "systolic",
      "matrix_unit": {"rows": 4, "cols": 8, "throughput": {"int8": 1}},
      "buffers": {"activation": {"capacity_kib": 64}, "accumulator": {"capacity_kib": 64},
                  "weight": {"shared_with": "activation"}}},
    "memory": {"dram": {"kind": "ddr4", "bandwidth_gb_per_s": 10}}})";
}

std::string all_errors(const Diagnostics& diagnostics) {
  std::string text;
  for (const Fault& fault : diagnostics.errors()) text += format(fault) + "\n";
  return text;
}

ResolvedArch resolve(const Folder& folder, const std::string& name,
                     const std::vector<std::string>& sets = {}) {
  Diagnostics diagnostics;
  ResolvedArch arch = resolve_arch(name, sets, folder.path(), diagnostics);
  CAPTURE(all_errors(diagnostics));
  REQUIRE(diagnostics.ok());
  return arch;
}

std::string faults(const Folder& folder, const std::string& name,
                   const std::vector<std::string>& sets = {}) {
  Diagnostics diagnostics;
  (void)resolve_arch(name, sets, folder.path(), diagnostics);
  return all_errors(diagnostics);
}

TEST_CASE("a preset is resolved with its energy table", "[library]") {
  const Folder folder;
  folder.write("plain.json", machine());
  const ResolvedArch arch = resolve(folder, "plain");
  CHECK(arch.chip.name == "plain");  // a machine without a name is called like its file
  CHECK(arch.chip.core.matrix.array.rows == 4);
  CHECK(arch.energy.node_nm == 45);
  CHECK(arch.file == (folder.path() / "arch" / "plain.json").string());
}

TEST_CASE("a chain of files is merged, the last word counts", "[library]") {
  const Folder folder;
  folder.write("a.json", machine(R"("name": "the first", "note": "of a alone",)"));
  folder.write("b.json", R"({"extends": "a", "core": {"matrix_unit": {"rows": 16},
                             "buffers": {"activation": {"capacity_mib": 1}}}})");
  folder.write("c.json", R"({"extends": "b.json", "name": "third", "clock_ghz": 2})");
  const ResolvedArch arch = resolve(folder, "c", {"core.matrix_unit.cols=32", "clock_ghz=3"});
  CHECK(arch.chip.name == "third");
  CHECK(arch.chip.clock_ghz == 3);
  CHECK(arch.chip.core.matrix.array.rows == 16);
  CHECK(arch.chip.core.matrix.array.cols == 32);
  CHECK(arch.chip.core.activation.capacity_bytes == Bytes{1} << 20U);
  CHECK(arch.chip.core.accumulator.capacity_bytes == Bytes{64} << 10U);
  CHECK(resolve(folder, "b").chip.name == "b");  // not "the first"
  for (const ArchEntry& entry : list_arch(folder.path())) {
    CHECK((entry.description == "of a alone") == (entry.name == "a"));
  }
}

TEST_CASE("a fault names the file that gave the value", "[library]") {
  const Folder folder;
  const std::string a = folder.write("a.json", machine(R"("cores": 7000,)")).string();
  const std::string b =
      folder
          .write("b.json", R"({"extends": "a", "core": {"matrix_unit": {"rows": 0}},
                                 "memory": {"host": {}}, "typo": {"x": 1}})")
          .string();
  const std::string c = folder.write("c.json", R"({"extends": "b", "clock_ghz": null})").string();
  const std::string text =
      faults(folder, "c", {"core.matrix_unit.cols=0", "core.new.deep=1", "energy=44nm"});
  CHECK_THAT(text, contains(a + ": cores: "));
  CHECK_THAT(text, contains(b + ": core.matrix_unit.rows: "));
  CHECK_THAT(text, contains(b + ": memory.host.bandwidth_gb_per_s: is missing"));
  CHECK_THAT(text, contains(b + ": typo: unknown key"));
  CHECK_THAT(text, contains(c + ": clock_ghz: is missing"));
  CHECK_THAT(text, contains("--set: core.matrix_unit.cols: "));
  CHECK_THAT(text, contains("--set: core.new: unknown key"));
  CHECK(std::ranges::count(text, '\n') == 7);
}

TEST_CASE("files that extend each other are a fault", "[library]") {
  const Folder folder;
  folder.write("a.json", R"({"extends": "b"})");
  folder.write("b.json", R"({"extends": "c.json"})");
  folder.write("c.json", R"({"extends": "a"})");
  CHECK_THAT(faults(folder, "a"),
             contains("extends: goes in a circle: a.json -> b.json -> c.json -> a.json"));
}

TEST_CASE("a family stands for all combinations", "[library]") {
  const Folder folder;
  folder.write("fam.json", machine(R"("family": {"name": "m_{rows}_{flow}",
    "parameters": {"rows": [4, 16], "flow": {"os": "output_stationary", "ws": "weight_stationary"}},
    "set": {"core.matrix_unit.rows": "{rows}", "core.matrix_unit.dataflow": "{flow}",
            "energy": "{rows}5nm"}},)"));
  std::vector<std::string> names;
  for (const auto& [name, place] : arch_presets(folder.path())) names.push_back(name);
  CHECK(names == std::vector<std::string>{"m_4_os", "m_4_ws", "m_16_os", "m_16_ws"});
  const ResolvedArch arch = resolve(folder, "m_4_os");
  CHECK(arch.chip.name == "m_4_os");
  CHECK(arch.chip.core.matrix.array.rows == 4);  // a number, as in the list
  CHECK(arch.chip.core.matrix.array.dataflow == Dataflow::output_stationary);
  CHECK(arch.chip.energy == "45nm");  // a part of a text
  CHECK_THAT(faults(folder, "m_16_ws"), contains("energy: no energy table \"165nm\""));
  CHECK_THAT(faults(folder, "fam"), contains("stands for 4 machines; name one of them: m_4_os"));

  folder.write("child.json", R"({"extends": "m_4_os", "clock_ghz": 5})");
  const ResolvedArch child = resolve(folder, "child");
  CHECK(child.chip.name == "child");
  CHECK(child.chip.core.matrix.array.dataflow == Dataflow::output_stationary);
}

TEST_CASE("a family may extend a machine", "[library]") {
  const Folder folder;
  folder.write("base.json", machine());
  folder.write("fam.json",
               R"({"extends": "base", "family": {"name": "f{n}", "parameters": {"n": [2]},
                               "set": {"core.matrix_unit.cols": "{n}"}}})");
  CHECK(resolve(folder, "f2").chip.core.matrix.array.cols == 2);
  CHECK(resolve(folder, "f2").chip.core.matrix.array.rows == 4);
}

TEST_CASE("names order by their numbers", "[library]") {
  const NaturalLess less;
  const std::vector<std::string> ordered{"",        "a",     "a128", "a_8_x", "a_16",
                                         "a_16_os", "a_128", "b",    "b1"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      CAPTURE(ordered[i], ordered[j]);
      CHECK(less(ordered[i], ordered[j]) == (i < j));
    }
  }
  CHECK(less("a08", "a8"));
  CHECK_FALSE(less("a8", "a08"));
}

TEST_CASE("a machine is described in a line", "[library]") {
  const Folder folder;
  folder.write("plain.json", machine());
  CHECK(describe_arch(to_json(resolve(folder, "plain").chip)) ==
        "4 x 8 weight stationary, 1 GHz, 10 GB/s DDR4");
  CHECK(describe_arch(to_json(resolve(folder, "plain",
                                      {"core.matrix_unit.count=2", "memory.dram.model=ideal",
                                       "memory.dram.bandwidth_gb_per_s=null"})
                                  .chip)) ==
        "2 arrays of 4 x 8 weight stationary, 1 GHz, ideal memory");
}

TEST_CASE("a memory that the energy table does not know is a fault", "[library]") {
  const Folder folder;
  folder.write("plain.json", machine());
  CHECK_THAT(
      faults(folder, "plain", {"memory.dram.kind=core"}),
      contains("--set: memory.dram.kind: the energy table 45nm has no \"core\"; it has ddr3"));
}

}  // namespace
}  // namespace tilewave
