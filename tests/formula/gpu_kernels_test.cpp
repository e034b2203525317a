// SPDX-License-Identifier: Apache-2.0
// Kernels of attention and of rows on GPUs: what they multiply and move, by formula.
#include <cmath>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/core/sm/cta_plan.hpp"
#include "workloads/kernels/gpu/attention_tile.hpp"
#include "workloads/kernels/gpu/row_kernel.hpp"
#include "workloads/ops/attention.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

Attention attention(Count batch, Count heads, Count kv_heads, Count q, Count kv, Count dim) {
  Attention a;
  a.batch = batch, a.heads = heads, a.kv_heads = kv_heads;
  a.q_len = q, a.kv_len = kv;
  a.head_dim = a.v_head_dim = dim;
  return a;
}

Placement at(std::uint64_t address, Bytes bytes) {
  return {program::Space::dram, address, bytes, bytes};
}

/// Of a clock that the power limit holds down.
Cycle rounded_up(Count cycles, double share) {
  return static_cast<Cycle>(std::ceil(static_cast<double>(cycles) / share));
}

constexpr Bytes kApart = Bytes{1} << 36;

AttentionPlaces places() {
  return {.q = at(0, 0),
          .k = at(kApart, 0),
          .v = at(2 * kApart, 0),
          .out = at(3 * kApart, 0),
          .workspace = [](Bytes bytes) { return at(4 * kApart, bytes); }};
}

std::vector<program::GpuKernel> kernels_of(const GpuParams& gpu, const Attention& a,
                                           Count splits = 1) {
  const GpuTarget target = gpu.target();
  auto tile = attention_tile(a, DataType::bf16, target);
  REQUIRE(tile.has_value());
  tile->splits = splits;
  return build_attention_kernels({"attention", 0, DataType::bf16}, a, *tile, places(), target);
}

CtaPlan::BlockWork work_of(const GpuParams& gpu, const program::GpuKernel& kernel) {
  return CtaPlan(gpu.sm, kernel).work_of(0, kernel.kernel.blocks());
}

}  // namespace

TEST_CASE("flash attention multiplies what the mask leaves, and reads K and V once a tile",
          "[gpu]") {
  for (const char* machine : {"a100_sxm_80gb", "h100_sxm", "b200_sxm"}) {
    INFO(machine);
    const GpuParams gpu = gpu_preset(machine);
    Attention a = attention(2, 8, 2, 2048, 2048, 128);
    const auto all = kernels_of(gpu, a);
    REQUIRE(all.size() == 1);
    const auto whole = work_of(gpu, all[0]);
    const Count pairs = Count{2} * 8 * 2048 * 2048;
    CHECK(whole.macs == pairs * 2 * 128);
    const Count tile = attention_tile(a, DataType::bf16, gpu.target())->queries;
    const Bytes q = 2 * 8 * 2048 * 128 * 2;
    // Each tile of queries of each head reads its head's keys and values.
    const Bytes of_keys = 2 * 8 * (2048 / tile) * (2 * 2048 * 128 * 2);
    if (2048 % tile == 0) CHECK(whole.load_bytes == q + of_keys);
    CHECK(whole.store_bytes == q);
    // Causal: half of the pairs and a diagonal, half of the passes and the diagonal's.
    a.causal = true;
    const auto half = work_of(gpu, kernels_of(gpu, a)[0]);
    CHECK(half.macs == Count{2} * 8 * (2048 * 2049 / 2) * 2 * 128);
    CHECK(half.macs == attention_pairs(a, 0, a.q_len) * 2 * 8 * 2 * 128);
    CHECK(half.load_bytes - q < (whole.load_bytes - q) * 6 / 10);
    CHECK(half.load_bytes - q > (whole.load_bytes - q) / 2);
    // A window: each query sees 256 positions, a tile's passes cover these and its own.
    a.window = 256;
    const auto band = work_of(gpu, kernels_of(gpu, a)[0]);
    CHECK(band.macs == attention_pairs(a, 0, a.q_len) * 2 * 8 * 2 * 128);
    CHECK(band.load_bytes < half.load_bytes / 2);
  }
}

TEST_CASE("decoding reads the cache once for all heads that share it, in splits too", "[gpu]") {
  const GpuParams gpu = gpu_preset("h100_sxm");
  const Attention a = attention(1, 32, 4, 1, 10000, 128);
  const Bytes cache = 4 * 10000 * 128 * 2 * 2, q = 32 * 128 * 2;
  const auto one = work_of(gpu, kernels_of(gpu, a)[0]);
  CHECK(one.macs == 32 * 10000 * 2 * 128);
  CHECK(one.load_bytes == cache + q);
  CHECK(one.store_bytes == q);
  const auto kernels = kernels_of(gpu, a, 8);
  REQUIRE(kernels.size() == 2);
  const auto split = work_of(gpu, kernels[0]);
  CHECK(split.macs == one.macs);
  CHECK(split.load_bytes == cache + 8 * q);
  const Bytes sums = 8 * 32 * 128 * 4;
  CHECK(split.store_bytes == sums);
  const auto combined = work_of(gpu, kernels[1]);
  CHECK(combined.load_bytes == sums);
  CHECK(combined.store_bytes == q);
}

TEST_CASE("a pass of flash attention is products and a softmax, by its units' rates", "[gpu]") {
  // A100: each product of 128 x 64 scores of 128: 128 x 64 x 128 / 1,024 a cycle, at 0.95. Softmax: 64 fp32
  // lanes, 2 operations a score and 128 rescaled sums a row; 64 integer lanes, 1.5; 16 special functions.
  const GpuParams a100 = gpu_preset("a100_sxm_80gb");
  const Attention a = attention(1, 4, 4, 4096, 4096, 128);
  const auto kernel = kernels_of(a100, a)[0];
  const CtaCosts costs(a100.sm, kernel);
  REQUIRE(costs.steps().size() == 3);
  CHECK(costs.steps()[0].cycles.tensor == 1078);
  CHECK(costs.steps()[2].cycles.tensor == 1078);
  CHECK(costs.steps()[1].cycles.tensor == 0);
  CHECK(costs.steps()[1].cycles.issue ==
        rounded_up(128 * 64 * 2 / 64, 0.95) + rounded_up(128 * 128 / 64, 0.95) +
            rounded_up(128 * 64 * 3 / 2 / 64, 0.95) + rounded_up(128 * 64 / 16, 0.95));
  CHECK(kernel.cta.in_step);
  // H100: two groups that take turns, each with half of the rows, both products before the softmax.
  const GpuParams h100 = gpu_preset("h100_sxm");
  const auto hopper = kernels_of(h100, a)[0];
  CHECK(hopper.cta.teams == 2);
  const CtaCosts turns(h100.sm, hopper);
  REQUIRE(turns.steps().size() == 2);
  CHECK(turns.steps()[0].cycles.tensor == 2 * 610);
  CHECK(turns.steps()[1].cycles.issue ==
        rounded_up(64 * 128 * 2 / 128, 0.84) + rounded_up(64 * 128 / 128, 0.84) +
            rounded_up(64 * 128 * 3 / 2 / 64, 0.84) + rounded_up(64 * 128 / 16, 0.84));
}

TEST_CASE("long rows are read once a pass, short ones stay in registers", "[gpu]") {
  const GpuParams gpu = gpu_preset("v100_sxm2_16gb");
  const GpuTarget target = gpu.target();
  RowKernel row;
  row.rows = 1000, row.cols = 1024;
  row.passes = 3, row.register_cols = 1024;
  row.inputs = {{at(0, 0), 32}};
  row.output = {at(kApart, 0), 32};
  const KernelId id{"rows", 0, DataType::fp32};
  const auto kept = work_of(gpu, build_row_kernel(id, row, target));
  CHECK(kept.load_bytes == 1000 * 1024 * 4);
  CHECK(kept.store_bytes == 1000 * 1024 * 4);
  row.cols = 5000;
  const auto read_again = work_of(gpu, build_row_kernel(id, row, target));
  CHECK(read_again.load_bytes == 3 * 1000 * 5000 * 4);
  CHECK(read_again.store_bytes == 1000 * 5000 * 4);
}
