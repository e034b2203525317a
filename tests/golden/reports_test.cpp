// SPDX-License-Identifier: Apache-2.0
// Whole reports against the files in tests/golden/reports. scripts/update-goldens.sh writes them
// anew; the change is then reviewed as a diff.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.hpp"

#include "app/library/arch_library.hpp"
#include "app/simulate.hpp"
#include "workloads/load.hpp"

using namespace tilewave;

namespace {

const std::filesystem::path kTests = TILEWAVE_TEST_DIR;

/// Numbers to nine digits: the last digits of logarithms may differ between C libraries.
Json rounded(const Json& value) {
  if (value.is_number_float()) return Json::parse(fmt::format("{:.9g}", value.get<double>()));
  if (!value.is_structured()) return value;
  Json out = value;
  for (auto& member : out) member = rounded(member);
  return out;
}

/// What must not change unnoticed, one layer a line.
std::string golden_text(const Json& report) {
  std::string text = "{\n \"total\": " + rounded(report["total"]).dump() + ",\n \"layers\": [";
  bool first = true;
  for (const Json& layer : report["layers"]) {
    Json kept;
    for (const char* key : {"name", "kernel", "start_cycle", "cycles", "macs", "utilization",
                            "mapping_efficiency", "bound", "breakdown", "traffic", "energy_j"}) {
      kept[key] = layer[key];
    }
    text += (first ? "\n  " : ",\n  ") + rounded(kept).dump();
    first = false;
  }
  return text + "\n ]\n}\n";
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("reports equal the golden ones") {
  struct Case {
    const char* arch;
    const char* workload;
  };
  const auto c = GENERATE(values<Case>({{"tpu_v1", "resnet50"},
                                        {"tpu_v1", "mobilenet_v2"},
                                        {"tpu_v1", "mlp"},
                                        {"gemmini_16x16", "tiny_cnn"},
                                        {"gemmini_16x16", "small_mlp"},
                                        {"scale_sim_32_os", "tiny_cnn"},
                                        {"scale_sim_8_is", "small_mlp"}}));
  const auto configs = kTests / ".." / "configs";
  Diagnostics diagnostics;
  RunRequest request;
  request.arch = resolve_arch(c.arch, {}, configs, diagnostics);
  request.workload = load_workload(c.workload, {.config_dir = configs}, diagnostics);
  diagnostics.throw_if_errors();
  const std::string text = golden_text(simulate(request).report);

  const auto path = kTests / "golden" / "reports" / fmt::format("{}.{}.json", c.arch, c.workload);
  if (std::getenv("TILEWAVE_UPDATE_GOLDENS") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  INFO("differs from " << path.filename().string()
                       << "; if that is meant, run scripts/update-goldens.sh and review the diff");
  std::istringstream now(text), then(read(path));
  std::string now_line, then_line;
  int line = 0;
  while (std::getline(now, now_line)) {
    ++line;
    REQUIRE(std::getline(then, then_line));
    INFO("line " << line);
    REQUIRE(now_line == then_line);
  }
  CHECK_FALSE(std::getline(then, then_line));
}
