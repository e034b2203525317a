// SPDX-License-Identifier: Apache-2.0
// A better machine is not slower, and every documented parameter moves the result where it must
// bind.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/random_cases.hpp"

#include "sim/config/json_path.hpp"
#include "workloads/load.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

struct Better {
  const char* what;
  std::vector<std::string> sets;  ///< assignments
  const char* doubled = nullptr;  ///< or a number to double, if the machine has it
};

const std::vector<Better>& betters() {
  static const std::vector<Better> list{
      {"twice the DRAM bandwidth", {}, "memory.dram.bandwidth_gb_per_s"},
      {"twice the DRAM channels", {}, "memory.dram.channels"},
      {"no DRAM latency", {"memory.dram.latency_ns=0"}},
      {"twice the activation buffer", {}, "core.buffers.activation.capacity_bytes"},
      {"twice the accumulators", {}, "core.buffers.accumulator.capacity_bytes"},
      {"fold overlap", {"core.matrix_unit.fold_overlap=true"}},
      {"weight double buffering", {"core.matrix_unit.weight_double_buffer=true"}},
      {"twice the vector lanes", {}, "core.vector_unit.lanes"},
      {"twice the requests in flight", {}, "core.dma.outstanding"},
      {"twice the queues", {}, "core.dma.queue_depth"},
  };
  return list;
}

Json improved(Json machine, const Better& better) {
  if (better.doubled != nullptr) {
    const Json* value = find_value(machine, better.doubled);
    if (value == nullptr) return machine;
    const Json twice =
        value->is_number_float() ? Json(value->get<double>() * 2) : Json(value->get<Count>() * 2);
    return with(machine, {std::string(better.doubled) + "=" + twice.dump()});
  }
  const bool ideal = machine["memory"]["dram"].value("model", "simple") == "ideal";
  if (ideal && better.sets[0].starts_with("memory.dram")) return machine;
  return with(machine, better.sets);
}

}  // namespace

TEST_CASE("a better TPU v1 is not slower") {
  const auto configs = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
  Diagnostics diagnostics;
  const Json preset = load_preset("tpu_v1");
  for (const char* name : {"resnet50", "alexnet", "mobilenet_v2", "mlp"}) {
    const Workload workload = load_workload(name, {.config_dir = configs}, diagnostics);
    diagnostics.throw_if_errors();
    // All three the better way already in the preset: start from the worse machine.
    const Json machine = with(preset, {"core.matrix_unit.fold_overlap=false",
                                       "core.matrix_unit.weight_double_buffer=false"});
    // With DRAM controllers another order of requests may cost a few row misses more, and a refresh
    // may fall on a worse moment: a controller decides by what waits now, so that less waiting does
    // not always end sooner (Graham's anomalies of list scheduling). That is inherent, and small: a
    // tenth of a per cent at most. With bandwidth and latency only, nothing.
    for (const bool controllers : {true, false}) {
      const Json on =
          controllers
              ? machine
              : with(machine, {"memory.dram.model=simple", "memory.dram.bandwidth_gb_per_s=34.1"});
      const Cycle base = cycles(on, workload);
      const Cycle slack = controllers ? base / 1000 : 0;
      for (const Better& better : betters()) {
        INFO(name << ": " << better.what << (controllers ? "" : ", simple memory"));
        CHECK(cycles(improved(on, better), workload) <= base + slack);
      }
    }
  }
}

// The mapper predicts, and on a random machine it may predict a little wrong: what is asked of the
// whole is that this is rare. Measured when the bounds were set: 1 % of the cases slower by over 3
// %.
TEST_CASE("a better random machine is rarely slower") {
  int cases_run = 0, slower = 0;
  for (int seed = 0; seed < 200; ++seed) {
    RandomCases cases(static_cast<std::uint64_t>(seed));
    const Json machine = with(cases.machine(), {"core.dma.queue_depth=8"});
    Workload workload = cases.workload();
    for (auto& op : workload.ops) op.functional = false;
    Cycle base = 0;
    try {
      base = cycles(machine, workload);
    } catch (const ConfigError&) {
      continue;  // too small for the workload
    }
    for (const Better& better : betters()) {
      const Cycle now = cycles(improved(machine, better), workload);
      ++cases_run;
      if (now > base + base / 32) ++slower;
    }
  }
  INFO(slower << " of " << cases_run << " slower by more than 3 %");
  CHECK(cases_run > 1000);
  CHECK(slower * 50 <= cases_run);
}

TEST_CASE("every documented parameter moves the result where it binds") {
  struct Case {
    const char* parameter;
    const char* from;
    const char* to;
    enum { slower, faster, energy, traffic } effect;
    std::vector<std::string> machine;  ///< makes the parameter bind
  };
  const std::vector<std::string> fast_memory{"memory.dram.bandwidth_gb_per_s=1000",
                                             "memory.dram.latency_ns=0"};
  const auto starved = [](std::initializer_list<std::string> more) {
    std::vector<std::string> sets{"memory.dram.bandwidth_gb_per_s=1000",
                                  "memory.dram.latency_ns=0"};
    sets.insert(sets.end(), more);
    return sets;
  };
  const std::vector<Case> cases{
      {"clock_ghz", "0.5", "2", Case::slower, {}},  // in cycles: memory is as fast in time
      {"core.matrix_unit.rows", "2", "16", Case::faster, fast_memory},
      {"core.matrix_unit.cols", "2", "16", Case::faster, fast_memory},
      {"core.matrix_unit.count", "1", "4", Case::faster,
       starved({"core.vector_unit.lanes=64", "core.buffers.activation.read_bytes_per_cycle=64",
                "core.buffers.activation.write_bytes_per_cycle=64",
                "core.buffers.accumulator.read_bytes_per_cycle=64",
                "core.buffers.accumulator.write_bytes_per_cycle=64", "core.dma.outstanding=16"})},
      {"core.matrix_unit.weight_double_buffer", "false", "true", Case::faster, fast_memory},
      {"core.matrix_unit.fold_overlap", "false", "true", Case::faster, fast_memory},
      {"core.matrix_unit.output_drain", "shift", "direct", Case::faster,
       starved(
           {"core.matrix_unit.dataflow=output_stationary", "core.matrix_unit.fold_overlap=false"})},
      {"core.matrix_unit.throughput.int8", "1", "0.25", Case::slower, fast_memory},
      {"core.matrix_unit.weight_load_bytes_per_cycle", "1", "4", Case::faster, fast_memory},
      {"core.matrix_unit.hops_per_cycle", "1", "4", Case::faster, fast_memory},
      {"core.matrix_unit.weight_rows_per_cycle", "1", "4", Case::faster,
       starved({"core.matrix_unit.hops_per_cycle=4",
                "core.matrix_unit.weight_load_bytes_per_cycle=0",
                "core.matrix_unit.weight_double_buffer=false"})},
      {"core.vector_unit.overlaps_products", "false", "true", Case::faster, fast_memory},
      {"core.vector_unit.lanes", "1", "64", Case::faster,
       starved({"core.vector_unit.fused_epilogue=false"})},
      {"core.vector_unit.latency_cycles", "0", "500", Case::slower, fast_memory},
      {"core.vector_unit.fused_epilogue", "false", "true", Case::faster,
       starved({"core.vector_unit.lanes=1"})},
      {"core.buffers.activation.capacity_bytes",
       "2048",
       "65536",
       Case::faster,
       {"memory.dram.bandwidth_gb_per_s=0.5"}},
      {"core.buffers.activation.read_bytes_per_cycle", "1", "64", Case::faster, fast_memory},
      {"core.buffers.activation.write_bytes_per_cycle", "1", "64", Case::faster,
       starved({"core.vector_unit.lanes=64", "core.dma.queue_depth=16"})},
      {"core.buffers.activation.banks",
       "1",
       "64",
       Case::energy,
       {"core.buffers.activation.capacity_bytes=16777216"}},
      {"core.buffers.accumulator.capacity_bytes",
       "64",
       "65536",
       Case::faster,
       {"memory.dram.bandwidth_gb_per_s=0.5"}},
      {"core.buffers.accumulator.write_bytes_per_cycle", "1", "64", Case::faster, fast_memory},
      {"core.buffers.accumulator.read_bytes_per_cycle", "1", "64", Case::faster,
       starved({"core.vector_unit.lanes=64"})},
      {"core.buffers.weight.capacity_bytes", "32", "65536", Case::faster, {}},
      {"core.dma.queue_depth", "2", "32", Case::faster, {}},
      {"core.dma.request_bytes", "16", "4096", Case::faster, {"memory.dram.latency_ns=200"}},
      {"core.dma.outstanding", "1", "64", Case::faster, {"memory.dram.latency_ns=200"}},
      {"memory.dram.bandwidth_gb_per_s", "0.5", "50", Case::faster, {}},
      {"memory.dram.latency_ns", "0", "1000", Case::slower, {}},
      {"memory.dram.kind", "ddr3", "hbm2", Case::energy, {}},
      {"core.wire_length_mm", "20", "1", Case::energy, {}},
      {"mapping.keep_results",
       "true",
       "false",
       Case::traffic,
       {"core.buffers.activation.capacity_bytes=65536"}},
  };
  const Workload workload = workload_of(Json::parse(R"({"ops": [
    {"op": "gemm", "m": 96, "n": 40, "k": 64, "epilogue": ["bias", "relu"]},
    {"op": "gemm", "m": 96, "n": 32, "k": 40, "epilogue": ["relu"]}]})"));
  for (const Case& c : cases) {
    const auto result = [&](const char* value) {
      auto sets = c.machine;
      sets.push_back(std::string(c.parameter) + "=" + value);
      return run(with(small_machine(), sets), workload)["total"];
    };
    const Json from = result(c.from), to = result(c.to);
    INFO(c.parameter << " from " << c.from << " to " << c.to << ": cycles " << from["cycles"]
                     << " to " << to["cycles"]);
    switch (c.effect) {
      case Case::slower:
        CHECK(to["cycles"].get<Cycle>() > from["cycles"].get<Cycle>());
        break;
      case Case::faster:
        CHECK(to["cycles"].get<Cycle>() < from["cycles"].get<Cycle>());
        break;
      case Case::energy:
        CHECK(to["energy_j"].get<double>() < from["energy_j"].get<double>());
        break;
      case Case::traffic:
        CHECK(to["dram_read_bytes"].get<Bytes>() > from["dram_read_bytes"].get<Bytes>());
        break;
    }
  }
}
