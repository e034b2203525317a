// SPDX-License-Identifier: Apache-2.0
#include "workloads/load.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "support/catch.hpp"

#include "workloads/ops/facts.hpp"

using namespace tilewave;
using test::contains;

namespace {

namespace fs = std::filesystem;

/// A folder of its own that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(fs::temp_directory_path() / ("tilewave_load_test_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The presets of this source tree.
LoadOptions source_options() {
  LoadOptions options;
  options.config_dir = fs::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  return options;
}

Workload load_good(const std::string& name, const LoadOptions& options = source_options()) {
  Diagnostics diagnostics;
  Workload workload = load_workload(name, options, diagnostics);
  diagnostics.throw_if_errors();
  return workload;
}

Fault load_bad(const std::string& name, const LoadOptions& options = source_options()) {
  Diagnostics diagnostics;
  (void)load_workload(name, options, diagnostics);
  REQUIRE(diagnostics.errors().size() == 1);
  return diagnostics.errors()[0];
}

constexpr const char* kGemmJson = R"({"ops": [{"op": "gemm", "m": 1, "n": 2, "k": 3}]})";

}  // namespace

TEST_CASE("Networks by name", "[load]") {
  CHECK(load_good("resnet50").name == "resnet50");
  const Workload w = load_good("resnet50:batch=8,dtype=fp16");
  CHECK(std::get<Conv2d>(w.ops[0].shape).n == 8);
  CHECK(w.ops[0].dtype == DataType::fp16);
  CHECK(load_good("mlp:layers=2,width=8").ops.size() == 2);

  LoadOptions options = source_options();
  options.batch = 4;
  options.dtype = DataType::bf16;
  const Workload other = load_good("resnet50:batch=8", options);
  CHECK(std::get<Conv2d>(other.ops[0].shape).n == 4);
  CHECK(other.ops[0].dtype == DataType::bf16);
}

TEST_CASE("Every shipped preset loads", "[load]") {
  const auto presets = list_workload_presets(source_options().config_dir);
  REQUIRE(presets.size() >= 3);
  for (const WorkloadEntry& preset : presets) {
    CAPTURE(preset.name);
    CHECK(!preset.description.empty());
    const Workload w = load_good(preset.name);
    CHECK(w.name == preset.name);
    CHECK(!w.ops.empty());
  }
  CHECK(std::ranges::is_sorted(presets, {}, &WorkloadEntry::name));
}

TEST_CASE("Files", "[load]") {
  const TemporaryFolder folder;
  SECTION("JSON, named after the file") {
    CHECK(load_good(folder.write("one.json", kGemmJson)).name == "one");
    CHECK(load_good(folder.write("two.JSON", kGemmJson)).name == "two");
  }
  SECTION("CSV") {
    const std::string conv =
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
        "Strides,\nA,6,6,3,3,1,1,2,\n";
    const std::string file = folder.write("net.csv", conv);
    const Workload down = load_good(file);
    CHECK(down.name == "net");
    CHECK(facts(down.ops[0]).output_elements == 4);
    LoadOptions options = source_options();
    options.scale_sim_ceil = true;
    options.dtype = DataType::fp32;
    options.batch = 10;
    const Workload up = load_good(file, options);
    CHECK(facts(up.ops[0]).output_elements == 90);
    CHECK(up.ops[0].dtype == DataType::fp32);
  }
  SECTION("other endings: by the first character") {
    CHECK(load_good(folder.write("a.txt", std::string("\n ") + kGemmJson)).ops.size() == 1);
    CHECK(load_good(folder.write("b.txt", "Layer,M,N,K\nA,1,2,3\n")).ops.size() == 1);
  }
  SECTION("a preset with parameters") {
    LoadOptions options;
    options.config_dir = folder.path();
    (void)folder.write("workloads/net.json", R"({"model": "mlp", "width": 8, "note": "x"})");
    (void)folder.write("workloads/fixed.json", kGemmJson);
    CHECK(totals(load_good("net", options)).macs == 3 * 64);
    CHECK(totals(load_good("net:batch=2", options)).macs == 2 * 3 * 64);
    const Fault unknown = load_bad("net:widht=2", options);
    CHECK(unknown.file == "--workload");
    CHECK(unknown.path == "widht");
    CHECK_THAT(load_bad("fixed:batch=2", options).message, contains("takes no parameters"));
    CHECK_THAT(load_bad("fixd", options).message, contains("did you mean \"fixed\"?"));
  }
}

TEST_CASE("Workloads that are not there or cannot be read", "[load]") {
  const TemporaryFolder folder;
  struct Case {
    std::string name, file, path, part;
  };
  const auto c = GENERATE(Case{"resnet5", "--workload", "", "did you mean \"resnet50\"?"},
                          Case{"tiny_cn", "--workload", "", "did you mean \"tiny_cnn\"?"},
                          Case{"", "--workload", "", "no network, preset or file"},
                          Case{"resnet50:batch", "--workload", "", "KEY=VALUE, is \"batch\""},
                          Case{"resnet50:=8", "--workload", "", "KEY=VALUE, is \"=8\""},
                          Case{"resnet50:batch=1,batch=2", "--workload", "batch", "given twice"},
                          Case{"resnet50:batch=0", "--workload", "batch", "is 0"},
                          Case{"resnet50:batch=-1", "--workload", "batch", "-1"},
                          Case{"resnet50:batch=x", "--workload", "batch", "\"x\""},
                          Case{"resnet50:seq_len=8", "--workload", "seq_len", "unknown key"},
                          Case{"resnet50:dtype=fp61", "--workload", "dtype", "\"fp16\""},
                          Case{"nowhere.json", "nowhere.json", "", "no such file"},
                          Case{"some/where", "some/where", "", "no such file"},
                          Case{"model.onnx", "model.onnx", "", "no such file"},
                          Case{"mlp:batch=1000000,width=1000000,layers=10000",
                               "mlp:batch=1000000,width=1000000,layers=10000", "", "2^63 FLOPs"});
  CAPTURE(c.name);
  const Fault fault = load_bad(c.name);
  CHECK(fault.file == c.file);
  CHECK(fault.path == c.path);
  CHECK_THAT(fault.message, contains(c.part));

  CHECK_THAT(load_bad(folder.path().string()).message, contains("directory"));
  CHECK_THAT(load_bad(folder.write("broken.json", "{\"ops\": [")).message, !contains("ops"));
  CHECK_THAT(load_bad(folder.write("empty.json", "")).message, contains("empty"));
  CHECK_THAT(load_bad(folder.write("empty.csv", "")).message, contains("no layers"));
}

TEST_CASE("Lists of networks", "[load]") {
  const auto entries = list_models();
  const auto found = std::ranges::find(entries, "mlp", &WorkloadEntry::name);
  REQUIRE(found != entries.end());
  CHECK_THAT(found->description, contains("layers=3, width=1024"));
  CHECK(list_workload_presets("/nowhere").empty());
}
