// SPDX-License-Identifier: Apache-2.0
// Bank conflicts and shared banks: closed formulas and the published results for GPU shared memory
// (32 banks of 4 bytes).
#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "support/catch.hpp"

#include "arch/memory/scratchpad/bank_conflicts.hpp"
#include "arch/memory/scratchpad/scratchpad_layout.hpp"
#include "arch/memory/scratchpad/shared_streams.hpp"

namespace tilewave::test {
namespace {

const ScratchpadParams kSharedMemory{.banks = 32, .bank_word_bytes = 4};

ScratchpadParams swizzled(ScratchpadParams params, const BankSwizzle& swizzle) {
  params.interleaving = BankInterleaving::xor_swizzled;
  params.swizzle = swizzle;
  return params;
}

Cycle cycles(const ScratchpadParams& params, const StridedAccess& access) {
  return BankConflicts(params).cost(access).cycles;
}

// CUDA C++ Programming Guide, compute capability 5.x and later, "Examples of strided shared memory
// accesses": stride 1 none, stride 2 two-way, stride 3 none; in general gcd(stride, 32).
TEST_CASE("a warp with a stride of s words conflicts gcd(s, 32) times", "[scratchpad]") {
  for (Count s = 1; s <= 200; ++s) {
    INFO("stride " << s << " words, expected gcd(stride, 32)");
    const StridedAccess warp{.lanes = 32, .lane_stride_bytes = 4 * s, .element_bytes = 4};
    CHECK(cycles(kSharedMemory, warp) == std::gcd(s, Count{32}));
  }
  // All lanes one word: broadcast. Halves of a word: two lanes share one.
  CHECK(cycles(kSharedMemory, {.lanes = 32, .lane_stride_bytes = 0, .element_bytes = 4}) == 1);
  CHECK(cycles(kSharedMemory, {.lanes = 32, .lane_stride_bytes = 2, .element_bytes = 2}) == 1);
  CHECK(cycles(kSharedMemory, {.lanes = 32, .lane_stride_bytes = 1, .element_bytes = 1}) == 1);
  // 8 and 16 bytes a lane: 256 and 512 bytes at 128 a cycle, no conflict.
  for (const Bytes wide : {Bytes{8}, Bytes{16}}) {
    const auto cost =
        BankConflicts(kSharedMemory)
            .cost(StridedAccess{.lanes = 32, .lane_stride_bytes = wide, .element_bytes = wide});
    CHECK(cost.cycles == 32 * wide / 128);
    CHECK(cost.conflict_cycles() == 0);
  }
}

// With gaps and a multiple of a period of lanes: lanes / period x (one bank's elements of a period).
TEST_CASE("lanes are ceil(L / P) to a bank for single words, P = B / gcd(S, B)", "[scratchpad]") {
  for (const Count banks : {Count{1}, Count{3}, Count{8}, Count{12}, Count{32}}) {
    for (Count s = 2; s <= 40; ++s) {
      for (const Count lanes : {Count{2}, Count{7}, Count{32}, Count{100}}) {
        INFO(banks << " banks, stride " << s << " words, " << lanes << " lanes");
        const StridedAccess access{
            .base_address = 8, .lanes = lanes, .lane_stride_bytes = 4 * s, .element_bytes = 4};
        CHECK(cycles({.banks = banks, .bank_word_bytes = 4}, access) ==
              ceil_div(lanes, banks / std::gcd(s, banks)));
      }
    }
  }
}

// Harris, "An Efficient Matrix Transpose in CUDA C/C++": the columns of a 32 x 32 tile of floats lie
// in one bank; with a pitch of 33 there is no conflict. A full XOR swizzle does it without padding.
TEST_CASE("transposition of 32 x 32 floats in shared memory", "[scratchpad]") {
  const auto plain = ScratchpadLayout::row_major(0, 32, 4);
  const auto padded = ScratchpadLayout::row_major(0, 32, 4, 4);
  const auto xored = swizzled(kSharedMemory, {.bits = 5});
  const auto total = [](const ScratchpadParams& params, const StreamAccess& stream) {
    return BankConflicts(params).cost(stream).total;
  };
  CHECK(total(kSharedMemory, plain.by_rows(0, 0, 32, 32)) == AccessCost{1024, 32, 32});
  CHECK(total(kSharedMemory, plain.by_columns(0, 0, 32, 32)) == AccessCost{1024, 1024, 32});
  CHECK(total(kSharedMemory, padded.by_rows(0, 0, 32, 32)) == AccessCost{1024, 32, 32});
  CHECK(total(kSharedMemory, padded.by_columns(0, 0, 32, 32)) == AccessCost{1024, 32, 32});
  CHECK(total(xored, plain.by_rows(0, 0, 32, 32)) == AccessCost{1024, 32, 32});
  CHECK(total(xored, plain.by_columns(0, 0, 32, 32)) == AccessCost{1024, 32, 32});
}

// ldmatrix reads eight rows of 16 bytes a phase. Rows of 128 bytes: all eight in the same four
// banks. The swizzle of CUTLASS for rows of 128 bytes, <3, 4, 3> on bytes, spreads them; those for
// 64 and 32 bytes do so for tiles of that pitch.
TEST_CASE("ldmatrix: eight rows of 16 bytes", "[scratchpad]") {
  const auto rows = [](Bytes pitch) {
    return StridedAccess{.lanes = 8, .lane_stride_bytes = pitch, .element_bytes = 16};
  };
  CHECK(cycles(kSharedMemory, rows(128)) == 8);
  CHECK(cycles(kSharedMemory, rows(64)) == 4);
  CHECK(cycles(kSharedMemory, rows(32)) == 2);
  CHECK(cycles(kSharedMemory, rows(16)) == 1);
  CHECK(cycles(kSharedMemory, rows(128 + 16)) == 1);
  CHECK(cycles(swizzled(kSharedMemory, {.bits = 3, .bank_shift = 2}), rows(128)) == 1);
  CHECK(cycles(swizzled(kSharedMemory, {.bits = 2, .bank_shift = 2}), rows(64)) == 1);
  CHECK(cycles(swizzled(kSharedMemory, {.bits = 1, .bank_shift = 2}), rows(32)) == 1);
  // Each swizzle is too short for longer rows.
  CHECK(cycles(swizzled(kSharedMemory, {.bits = 2, .bank_shift = 2}), rows(128)) == 2);
  CHECK(cycles(swizzled(kSharedMemory, {.bits = 1, .bank_shift = 2}), rows(128)) == 4);
}

// A weight-stationary array of R rows takes a row of R activations a cycle. From a row-major tile
// they lie side by side; from the transposed one, K apart.
TEST_CASE("operand streams: row-major at full rate, transposed as the layout says",
          "[scratchpad]") {
  constexpr Count kVectors = 1'000'000;
  for (const Count rows : {Count{16}, Count{64}, Count{128}}) {
    const ScratchpadParams params{.banks = rows, .bank_word_bytes = 1};
    BankConflicts conflicts(params);
    for (const Bytes padding : {Bytes{0}, Bytes{1}, Bytes{2}, Bytes{8}}) {
      INFO(rows << " rows, padding " << padding);
      const auto by_row = ScratchpadLayout::row_major(0, rows, 1, padding);
      const auto by_col = ScratchpadLayout::column_major(0, kVectors, 1, padding);
      const auto straight = conflicts.cost(by_row.by_rows(0, 0, kVectors, rows));
      CHECK(straight.total.cycles == kVectors);
      // Lanes (kVectors + padding) words apart.
      const Count factor = ceil_div(rows, rows / std::gcd(kVectors + padding, rows));
      const auto transposed = conflicts.cost(by_col.by_rows(0, 0, kVectors, rows));
      CHECK(transposed.total.cycles == kVectors * factor);
      CHECK(transposed.slowest_cycles == factor);
      // A slower array hides as much of it as its interval is long.
      CHECK(conflicts.cost(by_col.by_rows(0, 0, kVectors, rows), 4).duration_cycles ==
            (kVectors - 1) * std::max<Cycle>(4, factor) + factor);
    }
  }
}

// Gemmini's scratchpad (Configs.scala): 4 banks, each a range of addresses, rows of 16 bytes, one
// row a cycle. A row of a tile is one word; a column would touch 16 of one bank.
TEST_CASE("blocked banks of whole rows", "[scratchpad]") {
  const ScratchpadParams gemmini{.banks = 4,
                                 .bank_word_bytes = 16,
                                 .bank_bytes = 65536,
                                 .interleaving = BankInterleaving::blocked};
  BankConflicts conflicts(gemmini);
  const auto tile = ScratchpadLayout::row_major(0, 16, 1);
  CHECK(conflicts.cost(tile.by_rows(0, 0, 16384, 16)).total == AccessCost{16384, 16384, 16384});
  CHECK(conflicts.cost(tile.by_columns(0, 0, 16, 16)).total.cycles == 256);
  // A column over all banks: a quarter of it in each.
  CHECK(conflicts.cost(tile.column_vector(0, 0, 16384)).cycles == 4096);
}

// A register of 8 x 128 floats is one tile: 4096 bytes side by side. 128 banks of 4 bytes and their
// 8 rows: sublane by sublane.
TEST_CASE("tiles of 8 x 128", "[scratchpad]") {
  BankConflicts conflicts({.banks = 128, .bank_word_bytes = 4});
  const auto tiles = ScratchpadLayout::tiled(0, 1024, 4);
  CHECK(conflicts.cost(tiles.tile_vector(8, 256)) == AccessCost{1024, 8, 8});
  CHECK(conflicts.cost(tiles.by_rows(8, 128, 8, 128)).total == AccessCost{1024, 8, 8});
  // A column of a tile lies in one bank; a tile is a whole number of rows of all banks.
  CHECK(conflicts.cost(tiles.column_vector(8, 5, 8)).cycles == 8);
  CHECK(conflicts.cost(tiles.by_columns(8, 0, 8, 128)).total.cycles == 1024);
}

// The array reads one half while the DMA engine fills the other.
TEST_CASE("double buffering: halves in banks of their own never meet, interleaved ones do",
          "[scratchpad]") {
  constexpr Bytes kHalf = 8192;
  constexpr Count kVectors = kHalf / 16;
  const auto play = [&](BankInterleaving interleaving, BankPorts ports,
                        BankArbitration arbitration) {
    // Blocked: a word as wide as a vector, two banks a half. Interleaved: a vector is one word too.
    const ScratchpadParams params{.banks = 4,
                                  .bank_word_bytes = 16,
                                  .bank_bytes = 2 * kHalf / 4,
                                  .ports = ports,
                                  .interleaving = interleaving,
                                  .arbitration = arbitration};
    const StridedAccess vector{.lanes = 16, .lane_stride_bytes = 1, .element_bytes = 1};
    BankStream read{.access = {vector, kVectors, 16}};
    BankStream fill{.access = {vector, kVectors, 16}, .write = true};
    fill.access.first.base_address = kHalf;
    const std::vector<BankStream> streams{read, fill};
    auto fast = predict_streams(params, streams);
    CHECK(fast == simulate_streams(params, streams));
    CHECK(fast[0].conflict_cycles + fast[1].conflict_cycles == 0);
    return fast;
  };
  constexpr auto kFixed = BankArbitration::fixed_priority, kRobin = BankArbitration::round_robin;
  for (const auto arbitration : {kFixed, kRobin}) {
    const auto apart = play(BankInterleaving::blocked, BankPorts::single, arbitration);
    CHECK(apart[0].end == kVectors);
    CHECK(apart[1].end == kVectors);
    CHECK(apart[0].wait_cycles + apart[1].wait_cycles == 0);
    const auto two_ports = play(BankInterleaving::word, BankPorts::read_and_write, arbitration);
    CHECK(two_ports[1].wait_cycles == 0);
    // In step, both want bank v % 4 in cycle v. The one that loses is a bank behind from then on.
    const auto in_step = play(BankInterleaving::word, BankPorts::single, arbitration);
    CHECK(in_step[0].wait_cycles + in_step[1].wait_cycles == 1);
  }
}

TEST_CASE("interleaved halves whose vectors use all banks share the rate", "[scratchpad]") {
  constexpr Count kVectors = 100'000;
  const StridedAccess vector{.lanes = 4, .lane_stride_bytes = 16, .element_bytes = 16};
  BankStream read{.access = {vector, kVectors, 64}};
  BankStream fill{.access = {vector, kVectors / 4, 64}, .write = true, .interval = 1};
  fill.access.first.base_address = kVectors * 64;
  ScratchpadParams params{.banks = 4, .bank_word_bytes = 16};
  // The reader first: the writer waits for its end.
  auto ends = predict_streams(params, std::vector{read, fill});
  CHECK(ends[0].end == kVectors);
  CHECK(ends[1].end == kVectors + kVectors / 4);
  CHECK(ends[1].wait_cycles == kVectors);
  // In turn: half the rate each, then the rest alone.
  params.arbitration = BankArbitration::round_robin;
  ends = predict_streams(params, std::vector{read, fill});
  CHECK(ends[1].end == 2 * (kVectors / 4));
  CHECK(ends[0].end == kVectors + kVectors / 4);
  CHECK(ends[0].wait_cycles == kVectors / 4);
  // A writer with a vector every fifth cycle and the first choice takes a fifth of the cycles.
  params.arbitration = BankArbitration::fixed_priority;
  fill.interval = 5;
  ends = predict_streams(params, std::vector{fill, read});
  CHECK(ends[0].end == (kVectors / 4 - 1) * 5 + 1);
  CHECK(ends[1].end == kVectors + kVectors / 4);
}

// Two streams of conflicting vectors on one set of banks, c1 and c2 cycles a vector alone.
TEST_CASE("streams that fill the same banks take the sum of their cycles", "[scratchpad]") {
  for (const Count c1 : {Count{1}, Count{3}}) {
    for (const Count c2 : {Count{1}, Count{2}, Count{5}}) {
      constexpr Count kLong = 2'000'000, kShort = 300'000;
      const auto stream = [](Count ways, Count vectors) {
        return BankStream{
            .access = {
                {.lanes = 8 * ways, .lane_stride_bytes = 4, .element_bytes = 4}, vectors, 0}};
      };
      const std::vector both{stream(c1, kLong), stream(c2, kShort)};
      ScratchpadParams params{.banks = 8, .bank_word_bytes = 4};
      INFO(c1 << " and " << c2 << " words a bank and vector");
      auto ends = predict_streams(params, both);
      CHECK(ends[0].end == kLong * c1);
      CHECK(ends[1].end == kLong * c1 + kShort * c2);
      // In turn, word by word: the one with fewer words ends after twice as many cycles.
      params.arbitration = BankArbitration::round_robin;
      ends = predict_streams(params, both);
      const Count long_words = kLong * c1, short_words = kShort * c2;
      CHECK(ends[1].end == 2 * short_words);
      CHECK(ends[0].end == long_words + short_words);
    }
  }
}

}  // namespace
}  // namespace tilewave::test
