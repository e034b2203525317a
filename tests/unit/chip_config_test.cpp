// SPDX-License-Identifier: Apache-2.0
// What a machine says of its parameters: those without effect, those that contradict each other.
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "app/library/arch_library.hpp"

using namespace tilewave;

namespace {

std::string warnings(const std::string& arch, const std::vector<std::string>& sets) {
  Diagnostics diagnostics;
  (void)resolve_arch(arch, sets, std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs",
                     diagnostics);
  CHECK(diagnostics.ok());
  std::string text;
  for (const Fault& fault : diagnostics.warnings()) text += format(fault) + "\n";
  return text;
}

}  // namespace

TEST_CASE("parameters without effect are named when the user sets them") {
  struct Case {
    const char* arch;
    std::vector<std::string> sets;
    const char* expected;
  };
  const std::vector<Case> cases{
      {"tpu_v1",
       {"core.matrix_unit.output_drain=direct"},
       "--set: core.matrix_unit.output_drain: has no effect: it is about output-stationary "
       "arrays\n"},
      {"scale_sim_8_os",
       {"core.matrix_unit.weight_double_buffer=true"},
       "--set: core.matrix_unit.weight_double_buffer: has no effect: an output-stationary array "
       "loads no operand\n"},
      {"scale_sim_8_ws",
       {"core.buffers.weight.read_bytes_per_cycle=1"},
       "--set: core.buffers.weight.read_bytes_per_cycle: has no effect: weights reach the array by "
       "weight_load_bytes_per_cycle\n"},
      {"scale_sim_8_ws",
       {"memory.dram.latency_ns=10"},
       "--set: memory.dram.latency_ns: has no effect: the model is ideal\n"},
      {"tpu_v1", {"memory.dram.model=ideal"}, ""},
      {"tpu_v1", {}, ""},
      {"gemmini_16x16", {"core.matrix_unit.weight_double_buffer=false"}, ""},
      {"scale_sim_8_is", {}, ""},
  };
  for (const Case& c : cases) {
    INFO(c.arch << (c.sets.empty() ? "" : " " + c.sets[0]));
    CHECK(warnings(c.arch, c.sets) == c.expected);
  }
}

TEST_CASE("a fault below a key set for this run is that of --set", "[arch]") {
  const auto faults = [](const std::vector<std::string>& sets) {
    Diagnostics diagnostics;
    (void)resolve_arch("tpu_v3", sets, std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs",
                       diagnostics);
    std::string text;
    for (const Fault& fault : diagnostics.errors()) text += format(fault) + "\n";
    return text;
  };
  CHECK(faults({"core.matrix_unit.throughput.int8=0.3"}) ==
        "--set: core.matrix_unit.throughput.int8: must be 1 divided by a whole number of passes, "
        "is 0.3\n");
  CHECK(faults({"core.matrix_unit.cast_operations.int8=1.5"}) ==
        "--set: core.matrix_unit.cast_operations.int8: must be a whole number, is 1.5\n");
  CHECK(faults({"mapping.batch=total"}) ==
        "--set: mapping.batch: \"total\" is for \"parallel\": \"data\", which is \"none\"\n");
  CHECK(faults({"mapping.batch=total", "mapping.parallel=data", "chips=2"}).find("batch") ==
        std::string::npos);
}

TEST_CASE("an output-stationary array needs a port for its widest sums") {
  const auto faults = [](const char* port, const char* hops = "1") {
    Diagnostics diagnostics;
    const std::vector<std::string> sets{
        "core.matrix_unit.output_drain=shift",
        std::string("core.matrix_unit.hops_per_cycle=") + hops,
        std::string("core.buffers.accumulator.write_bytes_per_cycle=") + port,
        R"(core.matrix_unit.throughput={"int8": 1, "fp64": 0.5})"};
    (void)resolve_arch("scale_sim_8_os", sets,
                       std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs", diagnostics);
    std::string text;
    for (const Fault& fault : diagnostics.errors()) text += format(fault) + "\n";
    return text;
  };
  CHECK(faults("64").empty());  // 8 sums of 64 bits
  CHECK_THAT(faults("32"), test::contains("drains a row of 64 bytes a cycle"));
  CHECK(faults("128", "2").empty());
  CHECK_THAT(faults("64", "2"), test::contains("drains 2 rows of 64 bytes a cycle"));
}

TEST_CASE("rows of weights enter no faster than they move on") {
  Diagnostics diagnostics;
  const std::vector<std::string> sets{"core.matrix_unit.hops_per_cycle=2",
                                      "core.matrix_unit.weight_rows_per_cycle=3"};
  (void)resolve_arch("scale_sim_8_ws", sets,
                     std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs", diagnostics);
  REQUIRE(diagnostics.errors().size() == 1);
  CHECK_THAT(format(diagnostics.errors()[0]),
             test::contains("core.matrix_unit.weight_rows_per_cycle: 3 rows enter in a cycle, but "
                            "move on only 2 in it"));
}

TEST_CASE("parts of k need a core each") {
  const auto fault = [](const std::vector<std::string>& sets) -> std::string {
    Diagnostics diagnostics;
    try {
      (void)resolve_arch("tpu_v4", sets,
                         std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs", diagnostics);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return diagnostics.ok() ? "" : format(diagnostics.errors().front());
  };
  CHECK(fault({"mapping.split_k=2"}).empty());
  CHECK(fault({"mapping.split_k=3"})
            .find("mapping.split_k: 3 parts of k need as many cores, there are 2") !=
        std::string::npos);
  CHECK(fault({"cores=1", "mapping.split_k=2"}).find("there is 1") != std::string::npos);
  CHECK(fault({"mapping.split_k=2000"}).find("1024") != std::string::npos);
  CHECK(fault({"mapping.splitk=2"}).find("split_k") != std::string::npos);
}
