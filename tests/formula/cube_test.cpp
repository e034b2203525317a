// SPDX-License-Identifier: Apache-2.0
// A cube's cycles, worked out by hand, in both variants: fold by fold and block by block.
#include <memory>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/matrix/array_model.hpp"
#include "arch/matrix/cube/cube_timing.hpp"
#include "sim/clock_domain.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

constexpr Bytes kKib = 1024;
constexpr CubeOperands kFp16{.a_bits = 16, .b_bits = 16, .block_depth = 16};
constexpr CubeOperands kInt8{.a_bits = 8, .b_bits = 8, .block_depth = 32};

/// Da Vinci's: 16 x 16 x 16, L0A and L0B of 64 KiB.
ArrayParams da_vinci(Cycle latency = 1) {
  ArrayParams p;
  p.rows = p.cols = 16;
  p.dataflow = Dataflow::output_stationary;
  p.cube = CubeParams{.depth = 16,
                      .l0a_bytes = 64 * kKib,
                      .l0b_bytes = 64 * kKib,
                      .l0a_fill_bytes_per_cycle = 512,
                      .l0b_fill_bytes_per_cycle = 256,
                      .latency_cycles = latency};
  return p;
}

FoldShape fold(const ArrayParams& p, const CubeOperands& operands, Count m, Count n, Count k) {
  return {.rows_used = m,
          .cols_used = n,
          .stream = k,
          .interval = operands.passes,
          .cube = cut_fold(p, operands, m, n, k)};
}

/// Completion of the last of so many equal folds, each begun as soon as the cube allows.
Cycle cycles(ArrayModel& cube, const FoldShape& shape, Count folds) {
  Count begun = 0;
  for (Cycle now = 0; now < 1'000'000; ++now) {
    cube.advance(now);
    if (cube.folds_done() == folds) return now;
    if (begun < folds && cube.can_stream(now, shape)) {
      cube.start_stream(now, shape, nullptr);
      ++begun;
    }
  }
  return kNever;
}

void check(const ArrayParams& p, const FoldShape& shape, Count folds, Cycle expected) {
  CHECK(cycles(*make_fold_array(p), shape, folds) == expected);
  CHECK(cycles(*make_pe_array(p), shape, folds) == expected);
}

}  // namespace

TEST_CASE("a cube takes a block a cycle, after its operands and before its pipeline", "[cube]") {
  const auto p = da_vinci();
  // 16 x 16 x 16: 512 bytes of A in 1 cycle, 512 of B in 2, one block.
  check(p, fold(p, kFp16, 16, 16, 16), 1, 1 + 2 + 1);
  // Edges cost whole blocks.
  check(p, fold(p, kFp16, 1, 1, 1), 1, 1 + 2 + 1);
  check(p, fold(p, kFp16, 17, 16, 33), 1, (2 * 3 * 512 / 512) + (3 * 512 / 256) + 2 * 3);
  // int8: blocks of 16 x 16 x 32, as many bytes.
  check(p, fold(p, kInt8, 16, 16, 32), 1, 1 + 2 + 1);
  check(p, fold(p, kInt8, 16, 16, 33), 1, 2 + 4 + 2);
  check(da_vinci(9), fold(p, kFp16, 16, 16, 16), 1, 1 + 2 + 9);
}

TEST_CASE("tiles are cut where a half of L0A or L0B is full, and filling hides behind blocks",
          "[cube]") {
  const auto p = da_vinci();
  // 128 x 256: 64 of k fill half of L0B (32 KiB), half of L0A has room for 128.
  const FoldShape tile = fold(p, kFp16, 128, 256, 256);
  CHECK(tile.cube.slices == 4);
  CHECK(tile.cube.depth == 64);
  CHECK(tile.cube.multiply_cycles == 8 * 16 * 4);
  CHECK(tile.cube.fill_cycles == 128 * 64 * 2 / 512 + 256 * 64 * 2 / 256);
  // Only the first slice's filling is seen.
  check(p, tile, 1, 160 + 4 * 512);
  check(p, tile, 3, 160 + 3 * 4 * 512);
  CHECK(cube_interval(tile) == 4 * 512);
  // One row of blocks only: a block of B takes 2 cycles to come, and 16 of them 1 of A's.
  const FoldShape thin = fold(p, kFp16, 16, 256, 128);
  CHECK(thin.cube.slices == 2);
  check(p, thin, 1, (4 + 128) + (4 + 128) + 16 * 4);
  CHECK_THROWS_WITH(fold(p, kFp16, 2048, 16, 16), contains("too large for half of L0A"));
}

TEST_CASE("an Ascend 910B multiplies 354 TFLOPS of fp16 and twice as many int8", "[cube]") {
  const Json machine = load_preset("ascend_910b");
  const ChipParams chip = resolve(machine).chip;
  const double flops =
      2.0 * static_cast<double>(chip.peak_macs_per_cycle()) * chip.clock().hz() * 1e-12;
  CHECK(flops == Approx(353.9).epsilon(0.001));
  CHECK(chip.core.speed(DataType::fp16) == 1);
  CHECK(chip.core.speed(DataType::int8) == 2);
  // Where nothing but the cubes limits, int8 takes half the time.
  const auto alone =
      with(machine, {"cores=1", "l2=null", "interconnect=null",
                     R"(memory.dram={"model": "ideal", "kind": "hbm2"})", "launch.overhead_us=0",
                     "core.dma.read_bytes_per_cycle=0", "core.dma.write_bytes_per_cycle=0"});
  const auto fp16 = cycles(alone, gemm_workload(1024, 1024, 1024, DataType::fp16));
  const auto int8 = cycles(alone, gemm_workload(1024, 1024, 1024, DataType::int8));
  constexpr Cycle kFp16Cycles = 64 * 64 * 64, kInt8Cycles = kFp16Cycles / 2;
  CHECK(fp16 >= kFp16Cycles);
  CHECK(static_cast<double>(fp16) < 1.02 * static_cast<double>(kFp16Cycles));
  CHECK(int8 >= kInt8Cycles);
  CHECK(static_cast<double>(int8) < 1.04 * static_cast<double>(kInt8Cycles));
}
