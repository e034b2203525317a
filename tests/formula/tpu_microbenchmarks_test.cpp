// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks of TPUs, with hand-written programs of one kind of instruction: what the units do
// alone. Measured: ayaka14732, 'tpu-v4-latency-numbers' (35809bf; cycles of 1.05 GHz, machine code
// placed by hand), and P. Wang et al., 'TPU matmul benchmark' (products in vector memory; the rates
// are those of TPU v6e).
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "app/simulate.hpp"
#include "arch/chip/systolic_chip.hpp"

namespace tilewave::test {
namespace {

using program::Instruction;
using program::Kernel;
using program::Program;
using program::UnitKind;

ChipParams preset(const std::string& name) { return resolve_preset(name).chip; }

double cycles(const ChipParams& chip, Kernel kernel) {
  Program program;
  program.kernels.push_back(std::move(kernel));
  return static_cast<double>(run_on_chip(chip, program, Fidelity::fast).cycles);
}

/// Between what the cores move; where it lay is not published, but hardly a power of two apart.
constexpr Bytes kBetweenCores = 65536;

/// On each of `cores`, `at_once` transfers of `bytes`, one behind the other in memory.
double transfer_cycles(const ChipParams& chip, UnitKind direction, Bytes bytes, int at_once,
                       Count cores) {
  const Bytes of_core = static_cast<Bytes>(at_once) * bytes + kBetweenCores;
  Kernel kernel;
  kernel.name = "transfers";
  kernel.grid = {cores, 1, 1};
  kernel.tensors.push_back({.name = "t", .base_address = 0, .bytes = cores * of_core});
  for (int i = 0; i < at_once; ++i) {
    Instruction move;
    move.label = "move";
    move.unit = direction;
    move.region.tensor = 0;
    move.region.offset_bytes = Affine::constant(static_cast<std::int64_t>(bytes) * i)
                                   .plus(kBlockIndex, static_cast<std::int64_t>(of_core));
    move.region.shape = program::StridedRows{{}, Span::whole(bytes)};
    kernel.body.emplace_back(std::move(move));
  }
  return cycles(chip, std::move(kernel));
}

/// Cycles = intercept + slope x KiB of a transfer.
struct Path {
  const char* name;
  const char* machine;
  UnitKind direction;
  Count cores;
  int at_once;
  double intercept, slope;
  double within = 0.03;  ///< of the measured cycles
};

TEST_CASE("a DMA takes its latency and its bytes, by path and size", "[tpu_microbenchmarks]") {
  constexpr auto kLoad = UnitKind::load, kStore = UnitKind::store;
  // Fits of 4 KiB to 4 MiB (several at once: to 256 KiB). Their own errors from HBM: up to 100 cycles.
  const std::vector<Path> paths{
      {"HBM to VMEM", "tpu_v4", kLoad, 1, 1, 483.6, 1.105, 0.15},
      {"HBM to VMEM, 4 at once", "tpu_v4", kLoad, 1, 4, 487.9, 4.202, 0.15},
      {"HBM to VMEM, 8 at once", "tpu_v4", kLoad, 1, 8, 475.1, 9.091, 0.15},
      {"HBM to VMEM, two cores", "tpu_v4", kLoad, 2, 1, 504.7, 2.139, 0.15},
      {"VMEM to HBM", "tpu_v4", kStore, 1, 1, 417.5, 1.051, 0.15},
      {"VMEM to HBM, 8 at once", "tpu_v4", kStore, 1, 8, 418.3, 8.433, 0.15},
      // Two long streams of writes meet in the banks more than the real controllers let them.
      {"VMEM to HBM, two cores", "tpu_v4", kStore, 2, 1, 407.2, 2.010, 0.25},
      {"CMEM to VMEM", "tpu_v4_cmem", kLoad, 1, 1, 311.0, 0.5},
      {"CMEM to VMEM, 8 at once", "tpu_v4_cmem", kLoad, 1, 8, 310.0, 4.0},
      {"CMEM to VMEM, two cores", "tpu_v4_cmem", kLoad, 2, 1, 311.0, 0.5},
      {"VMEM to CMEM", "tpu_v4_cmem", kStore, 1, 1, 309.0, 1.0},
      {"VMEM to CMEM, 8 at once", "tpu_v4_cmem", kStore, 1, 8, 310.0, 8.0},
      {"VMEM to CMEM, two cores", "tpu_v4_cmem", kStore, 2, 1, 310.5, 1.0},
  };
  for (const Path& path : paths) {
    const ChipParams chip = preset(path.machine);
    for (const Bytes kib : {4, 64, 256, 4096}) {
      if (path.at_once > 1 && kib > 256) continue;
      const double measured = path.intercept + path.slope * static_cast<double>(kib);
      const double ours =
          transfer_cycles(chip, path.direction, kib * 1024, path.at_once, path.cores);
      INFO(path.name << ", " << kib << " KiB: " << ours << " cycles, measured " << measured);
      CHECK(std::abs(ours / measured - 1) < path.within);
    }
  }
}

/// One pass of the vector unit over `registers` of 1024 words of 32 bits.
double vector_pass_cycles(const ChipParams& chip, Count registers, Count operations) {
  Kernel kernel;
  kernel.name = "pass";
  kernel.dtype = DataType::fp32;
  Instruction pass;
  pass.label = "pass";
  pass.unit = UnitKind::vector;
  pass.elements.factors = {Span::whole(1024 * registers)};
  pass.operations_per_element = operations;
  pass.read_bytes_per_element = 4;
  kernel.body.emplace_back(std::move(pass));
  return cycles(chip, std::move(kernel));
}

TEST_CASE("registers come from vector memory one a cycle, with a sum one in two",
          "[tpu_microbenchmarks]") {
  const ChipParams chip = preset("tpu_v4");
  for (const Count registers : {1, 16, 128, 1000}) {
    INFO(registers << " registers");
    // Loads alone: N + 13 cycles.
    CHECK(vector_pass_cycles(chip, registers, 0) == static_cast<double>(registers + 13));
    // Loads and sums in a loop of U: 2U + 5 cycles an iteration, 13 once. The loop's 5 cycles are
    // not modelled: instructions cost nothing to issue.
    CHECK(vector_pass_cycles(chip, registers, 1) == static_cast<double>(2 * registers + 13));
  }
}

/// Cycles of an op on 1024 x `registers` numbers with a memory that answers at once.
double function_cycles(const char* kind, Count operands, Count registers) {
  const std::vector<std::string> sets{R"(memory.dram={"model": "ideal", "kind": "hbm2"})",
                                      "core.dma.read_bytes_per_cycle=0",
                                      "core.dma.write_bytes_per_cycle=0"};
  RunRequest request;
  request.arch = resolve_preset("tpu_v4", sets);
  request.workload = workload_of({{"dtype", "fp16"},
                                  {"ops",
                                   {{{"op", "elementwise"},
                                     {"kind", kind},
                                     {"elements", 1024 * registers},
                                     {"operands", operands}}}}});
  return simulate(request).report.at("total").at("cycles").get<double>();
}

TEST_CASE("fp16 functions convert what they read and write", "[tpu_microbenchmarks]") {
  const auto each = [](const char* kind, Count operands) {
    return (function_cycles(kind, operands, 600) - function_cycles(kind, operands, 100)) / 500;
  };
  // 3 operations to convert each number, 1 of the function, 2 cycles each, one core: measured are 14
  // to 16 for functions of one number and 20 for additions (yutation, 'SCALE-SIM_Validation').
  CHECK(std::abs(each("relu", 1) - 2 * (3 + 1 + 3)) < 0.01);
  CHECK(std::abs(each("add", 2) - 2 * (3 + 3 + 1 + 3)) < 0.01);
  CHECK(std::abs(each("copy", 1) - 2) < 0.01);  // what is only moved is not converted
  // From 2^20 numbers on, both cores share them.
  const double per_register =
      (function_cycles("add", 2, 4096) - function_cycles("add", 2, 2048)) / 2048;
  CHECK(std::abs(per_register - 10) < 0.01);
}

/// A product of m rows with 256 x 256 weights, m dealt to the arrays, operands on chip.
double product_cycles(const ChipParams& chip, Count m) {
  const Count units = chip.core.matrix.count;
  Kernel kernel;
  kernel.name = "product";
  kernel.dtype = DataType::bf16;
  for (Count u = 0; u < units; ++u) {
    Instruction multiply;
    multiply.label = "multiply";
    multiply.unit = UnitKind::matrix;
    multiply.queue = static_cast<int>(u);
    multiply.m.factors = {Span::whole(m / units)};
    multiply.n.factors = {Span::whole(256)};
    multiply.k.factors = {Span::whole(256)};
    kernel.body.emplace_back(std::move(multiply));
  }
  return cycles(chip, std::move(kernel));
}

TEST_CASE("256-wide arrays take in four rows a cycle from vector memory", "[tpu_microbenchmarks]") {
  const ChipParams chip = preset("tpu_v6e");
  // Measured with 64, 256, 1024 and 4096 rows: 157.26, 184.98, 295.22, 734.63 ns, at 1.75 GHz.
  const auto measured = [](double ns) { return ns * 1.75; };
  const double base = product_cycles(chip, 64);
  CHECK(product_cycles(chip, 4096) - base == (4096 - 64) / 4);
  CHECK(std::abs((measured(734.63) - measured(157.26)) / ((4096 - 64) / 4.0) - 1) < 0.01);
  // Beside the rows: load, fill and drain, and the way of the results.
  const double fixed = base - 64 / 4;
  CHECK(fixed == 256 / 4 + 128 - 1 + 67);
  for (const auto& [m, ns] : {std::pair{64, 157.26},
                              {128, 165.96},
                              {256, 185.33},
                              {512, 222.05},
                              {1024, 295.22},
                              {2048, 440.79},
                              {4096, 734.63}}) {
    INFO(m << " rows");
    CHECK(std::abs(product_cycles(chip, static_cast<Count>(m)) / measured(ns) - 1) < 0.03);
  }
}

}  // namespace
}  // namespace tilewave::test
