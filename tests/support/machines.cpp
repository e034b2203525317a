// SPDX-License-Identifier: Apache-2.0
#include "support/machines.hpp"

#include <nlohmann/json.hpp>

#include "app/library/arch_library.hpp"
#include "arch/energy/energy_config.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/merge.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave::test {

namespace {

const EnergyTable& energy_table() {
  static const EnergyTable table = [] {
    const std::filesystem::path presets =
        std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs" / "energy";
    Diagnostics diagnostics;
    auto loaded = load_energy_table(presets / "28nm.json", presets, diagnostics);
    diagnostics.throw_if_errors();
    return *loaded;
  }();
  return table;
}

}  // namespace

Json small_machine() {
  return Json::parse(R"({
    "name": "small", "clock_ghz": 1.0, "cores": 1,
    "core": {
      "type": "systolic",
      "matrix_unit": { "rows": 4, "cols": 4, "count": 1, "dataflow": "weight_stationary",
        "weight_double_buffer": true, "fold_overlap": true, "output_drain": "shift",
        "throughput": { "int8": 1, "int16": 0.25, "fp16": 0.5, "bf16": 1 },
        "weight_load_bytes_per_cycle": 4 },
      "vector_unit": { "lanes": 4, "latency_cycles": 3, "fused_epilogue": true },
      "buffers": {
        "activation": { "capacity_bytes": 4096, "banks": 4, "read_bytes_per_cycle": 8,
                        "write_bytes_per_cycle": 8 },
        "weight": { "capacity_bytes": 1024 },
        "accumulator": { "capacity_bytes": 1024, "read_bytes_per_cycle": 16,
                         "write_bytes_per_cycle": 16 } },
      "dma": { "queue_depth": 4, "request_bytes": 64, "outstanding": 4 } },
    "memory": { "dram": { "model": "simple", "kind": "ddr3", "bandwidth_gb_per_s": 4,
                          "latency_ns": 20 } },
    "energy": "28nm",
    "mapping": { "keep_results": true }
  })");
}

Json ideal_machine(Count rows, Count cols, const std::string& dataflow) {
  Json machine = Json::parse(R"({
    "name": "ideal", "clock_ghz": 1.0,
    "core": {
      "type": "systolic",
      "matrix_unit": { "weight_double_buffer": false, "fold_overlap": false,
        "output_drain": "direct", "throughput": { "int8": 1 } },
      "buffers": { "activation": { "unlimited": true }, "weight": { "unlimited": true },
                   "accumulator": { "unlimited": true } } },
    "memory": { "dram": { "model": "ideal", "kind": "ddr4" } },
    "energy": "28nm"
  })");
  auto& unit = machine["core"]["matrix_unit"];
  unit["rows"] = rows;
  unit["cols"] = cols;
  unit["dataflow"] = dataflow;
  return machine;
}

Json with_l2(Json machine, Bytes capacity_bytes) {
  machine["l2"] = Json::parse(R"({ "ways": 4, "line_bytes": 64, "sector_bytes": 32, "slices": 2,
    "bank_bytes_per_cycle": 32, "hit_latency_cycles": 8, "tag_latency_cycles": 4, "mshrs": 16,
    "mshr_merges": 4 })");
  machine["l2"]["capacity_bytes"] = capacity_bytes;
  return machine;
}

Json load_preset(const std::string& name) {
  Diagnostics diagnostics;
  auto json = load_json_file(
      std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs" / "arch" / (name + ".json"),
      diagnostics);
  diagnostics.throw_if_errors();
  return *json;
}

Json with(Json machine, const std::vector<std::string>& assignments) {
  Diagnostics diagnostics;
  for (const auto& a : assignments) set_path(machine, a, diagnostics, "test");
  diagnostics.throw_if_errors();
  return machine;
}

ResolvedArch resolve_preset(const std::string& name, const std::vector<std::string>& sets) {
  Diagnostics diagnostics;
  ResolvedArch arch = resolve_arch(
      name, sets, std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs", diagnostics);
  diagnostics.throw_if_errors();
  return arch;
}

GpuParams gpu_preset(const std::string& name) {
  const ResolvedArch arch = resolve_preset(name);
  if (arch.gpu == nullptr) throw std::invalid_argument(name + " is no GPU");
  return *arch.gpu;
}

RunRequest on_preset(const std::string& name, const std::vector<std::string>& sets,
                     Workload workload) {
  RunRequest request;
  request.arch = resolve_preset(name, sets);
  request.workload = std::move(workload);
  return request;
}

ResolvedArch resolve(const Json& machine) {
  Diagnostics diagnostics;
  ObjectReader reader(machine, "test.json", "", diagnostics);
  ResolvedArch arch{
      .file = "test.json", .chip = read_chip(reader), .gpu = {}, .energy = energy_table()};
  diagnostics.throw_if_errors();
  load_memory(arch.file, std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs",
              arch.chip.dram, diagnostics);
  diagnostics.throw_if_errors();
  return arch;
}

Workload workload_of(const Json& json) {
  Diagnostics diagnostics;
  auto workload = read_workload(
      json, {.file = "workload.json", .default_name = "test", .dtype = {}, .batch = {}},
      diagnostics);
  diagnostics.throw_if_errors();
  return workload;
}

Workload gemm_workload(Count m, Count n, Count k, DataType type) {
  return {.name = "gemm", .ops = {Op{.name = "gemm", .dtype = type, .shape = Gemm{m, n, k}}}};
}

Json run(const Json& machine, const Workload& workload, Fidelity fidelity) {
  return simulate({.arch = resolve(machine), .workload = workload, .fidelity = fidelity}).report;
}

Cycle cycles(const Json& machine, const Workload& workload) {
  return run(machine, workload)["total"]["cycles"].get<Cycle>();
}

Json comparable(Json report) {
  report.erase("host");
  return report;
}

}  // namespace tilewave::test
