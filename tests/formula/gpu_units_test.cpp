// SPDX-License-Identifier: Apache-2.0
// Parts of a GPU against tables and formulas: occupancy, order of CTAs, the L2's blocks, latencies and
// rates of the memory, what a tile costs an SM.
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/core/sm/cta_costs.hpp"
#include "arch/core/sm/occupancy.hpp"
#include "arch/memory/shared_l2/gpu_memory.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

program::Cta cta(Count threads, Count registers, Bytes shared) {
  program::Cta c;
  c.threads = threads, c.registers_per_thread = registers, c.shared_bytes = shared;
  return c;
}

}  // namespace

TEST_CASE("occupancy of an A100's SM, and what limits it", "[gpu]") {
  using Limit = Occupancy::Limit;
  struct Row {
    Count threads, registers;
    Bytes shared;
    Count ctas;
    Limit limit;
  };
  // As the CUDA occupancy calculator (compute capability 8.0) has it.
  const SmParams sm = gpu_preset("a100_sxm_80gb").sm;
  for (const Row& r : {Row{32, 32, 0, 32, Limit::ctas}, Row{1024, 32, 0, 2, Limit::warps},
                       Row{256, 64, 0, 4, Limit::registers}, Row{256, 255, 0, 1, Limit::registers},
                       Row{128, 32, 40 * 1024, 4, Limit::shared_memory},
                       Row{128, 32, 163 * 1024, 1, Limit::shared_memory},
                       Row{128, 32, 164 * 1024, 0, Limit::shared_memory}}) {
    const Occupancy o = occupancy(sm, cta(r.threads, r.registers, r.shared));
    INFO(r.threads << " threads, " << r.registers << " registers, " << r.shared << " bytes");
    CHECK(o.ctas == r.ctas);
    CHECK(o.limit == r.limit);
  }
}

TEST_CASE("every block of a grid is dispatched once, whatever the raster", "[gpu]") {
  for (const Count raster : {1, 2, 3, 8}) {
    program::GpuKernel kernel;
    kernel.kernel.grid = {5, 7, 2};
    kernel.cta.raster_rows = raster;
    std::set<program::BlockPlace> places;
    for (Count b = 0; b < kernel.kernel.blocks(); ++b) {
      const program::BlockPlace place = program::place_of(kernel, b);
      CHECK(place[0] < 5);
      CHECK(place[1] < 7);
      places.insert(place);
    }
    CHECK(places.size() == 70);
    // The first CTAs go down a column of as many rows.
    const Count height = std::min<Count>(raster, 7);
    CHECK(program::place_of(kernel, height - 1) == program::BlockPlace{0, height - 1, 0});
    CHECK(program::place_of(kernel, height) == program::BlockPlace{1, 0, 0});
  }
}

TEST_CASE("the L2 keeps the blocks used last, and counts what leaves dirty", "[gpu]") {
  constexpr Bytes kBlock = BlockCache::kRows * BlockCache::kColumnBytes;
  BlockCache cache(3 * kBlock);
  Bytes evicted = 0;
  for (const std::uint64_t key : {1, 2, 3}) cache.touch(key, evicted).present = 1;
  cache.soil(*cache.find(2), 0b11, 2 * BlockCache::kPieceBytes, 5);
  CHECK(cache.dirty_bytes() == 2 * BlockCache::kPieceBytes);
  cache.touch(1, evicted);  // now 2 is the oldest
  CHECK(evicted == 0);
  CHECK(cache.touch(4, evicted).present == 0);
  CHECK(evicted == 2 * BlockCache::kPieceBytes);
  CHECK(cache.find(2) == nullptr);
  CHECK(cache.find(1) != nullptr);
  cache.soil(*cache.find(1), 0b1, BlockCache::kPieceBytes, 7);
  CHECK(cache.dirty_since() == 7);
  CHECK(cache.clean_oldest() == BlockCache::kPieceBytes);
  CHECK(cache.clean_oldest() == 0);
}

TEST_CASE("loads alone take the latencies, many get the rates", "[gpu]") {
  SharedL2Params l2;
  l2.capacity_bytes = 1 << 20;
  l2.slices = 4;
  l2.bytes_per_cycle_per_slice = 16;
  l2.latency_cycles = 200;
  const GpuMemory::Ports ports{.read_bytes_per_cycle = 32, .write_bytes_per_cycle = 8};
  const GpuMemory::Dram dram{.bytes_per_cycle = 10, .latency_cycles = 300};
  GpuMemory memory(l2, dram, 4, ports);
  const MatrixAccess tile{.address = 0,
                          .first_row = 0,
                          .rows = 8,
                          .first_byte = 0,
                          .row_bytes = 32,
                          .pitch_bytes = 4096};
  // 256 bytes: 26 cycles of DRAM, then its latency and the L2's.
  const auto cold = memory.read(0, 0, tile);
  CHECK(cold.from_dram);
  CHECK(cold.ready == 26 + 300 + 200);
  // A hit: 8 cycles of the port are longer than 4 of the slices.
  const auto warm = memory.read(10'000, 1, tile);
  CHECK_FALSE(warm.from_dram);
  CHECK(warm.ready == 10'008 + 200);
  // Four SMs ask at once: 16 cycles of the slices.
  Cycle last = 0;
  for (Count sm = 0; sm < 4; ++sm) last = std::max(last, memory.read(20'000, sm, tile).ready);
  CHECK(last == 20'016 + 200);
  // A write leaves by its port at 8 bytes a cycle.
  CHECK(memory.write(30'000, 2, tile).accepted == 30'032);
  CHECK(memory.counts().l2_read_bytes == 6 * 256);
  CHECK(memory.counts().fill_bytes == 256);
  CHECK(memory.dirty_bytes() == 256);
  // What two SMs get together, the L2 gives once.
  MatrixAccess shared = tile;
  shared.shared_by = 2;
  const Bytes before = memory.counts().l2_read_bytes;
  (void)memory.read(40'000, 0, shared);
  CHECK(memory.counts().l2_read_bytes - before == 128);
}

// A tile of 24 columns of two bytes ends in the middle of a sector: what its neighbour has of it is there.
TEST_CASE("whole sectors come from DRAM, each once, and as many bytes leave as were written",
          "[gpu]") {
  SharedL2Params l2;
  l2.capacity_bytes = 1 << 22;
  for (const Bytes width : {16, 48, 32, 80, 2}) {
    INFO("tiles of " << width << " bytes");
    const Bytes row_bytes = 96 * width;
    GpuMemory memory(l2, {.bytes_per_cycle = 10, .latency_cycles = 300}, 4, {});
    for (Bytes column = 0; column < row_bytes; column += width) {
      const MatrixAccess tile{.address = 0,
                              .first_row = 0,
                              .rows = 64,
                              .first_byte = column,
                              .row_bytes = width,
                              .pitch_bytes = row_bytes};
      (void)memory.read(column, 0, tile);
    }
    CHECK(memory.counts().l2_read_bytes == 64 * row_bytes);
    CHECK(memory.counts().fill_bytes == 64 * row_bytes);
  }
  // Rows of six bytes lie packed: they come once, and not a sector each.
  GpuMemory memory(l2, {.bytes_per_cycle = 10, .latency_cycles = 300}, 4, {});
  const MatrixAccess packed{
      .address = 0, .first_row = 0, .rows = 64, .first_byte = 0, .row_bytes = 6, .pitch_bytes = 6};
  (void)memory.read(0, 0, packed);
  CHECK(memory.counts().fill_bytes == 64 * 6);
  (void)memory.write(1000, 0, packed);
  CHECK(memory.dirty_bytes() == 64 * 6);
}

TEST_CASE("a tile's multiplies take its MACs over the rate, and sub-cores without a warp idle",
          "[gpu]") {
  const SmParams sm = gpu_preset("a100_sxm_80gb").sm;
  const auto costs = [&](Count bm, Count bn, Count bk, Count wm, Count wn) {
    program::Cta c = cta(32 * wm * wn, 128, 0);
    c.unit = program::MmaUnit::mma;
    c.warps_m = wm, c.warps_n = wn;
    return tile_costs(sm, c, DataType::bf16, bm, bn, bk).cycles;
  };
  const double share = sm.tensor->sustained_share;
  const auto cycles = [&](double macs_per_cycle, double macs) {
    return static_cast<Cycle>(std::ceil(macs / macs_per_cycle / share));
  };
  CHECK(costs(128, 128, 32, 2, 2).tensor == cycles(1024, 128. * 128 * 32));
  CHECK(costs(256, 128, 32, 4, 2).tensor == cycles(1024, 256. * 128 * 32));
  // Two of four sub-cores, one multiply: beside other CTAs a share of them all, alone so many idle.
  CHECK(costs(64, 32, 32, 2, 1).tensor == cycles(1024, 64. * 32 * 32));
  CHECK(costs(64, 32, 32, 2, 1).least == cycles(512, 64. * 32 * 32));
  CHECK(costs(16, 8, 16, 1, 1).tensor == cycles(1024, 16. * 8 * 16));
  CHECK(costs(16, 8, 16, 1, 1).least == sm.tensor->latency_cycles);
  // Fragments and copies through shared memory: (256 + 4 x 128) rows of 64 bytes.
  CHECK(costs(128, 128, 32, 2, 2).shared == (256 + 4 * 128) * 64 / 128);
  // Steps of k follow one another.
  CHECK(costs(32, 16, 64, 2, 2).least == 4 * sm.tensor->latency_cycles);
}
