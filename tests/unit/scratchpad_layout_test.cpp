// SPDX-License-Identifier: Apache-2.0
// Addresses of matrices in a scratchpad, and the vectors that read them.
#include "arch/memory/scratchpad/scratchpad_layout.hpp"

#include <set>
#include <string>

#include "support/catch.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave::test {
namespace {

TEST_CASE("the address of an element", "[scratchpad]") {
  const auto rows = ScratchpadLayout::row_major(100, 10, 2, 4);
  CHECK(rows.pitch_bytes == 24);
  CHECK(rows.address(0, 0) == 100);
  CHECK(rows.address(3, 5) == 182);
  const auto cols = ScratchpadLayout::column_major(100, 7, 2, 4);
  CHECK(cols.pitch_bytes == 18);
  CHECK(cols.address(3, 5) == 196);
  // 300 columns are three tiles of 128; 4 KiB a tile of 4-byte elements.
  const auto tiles = ScratchpadLayout::tiled(0, 300, 4);
  CHECK(tiles.pitch_bytes == 3 * 4096);
  CHECK(tiles.address(0, 127) == 127 * 4);
  CHECK(tiles.address(1, 0) == 512);
  CHECK(tiles.address(7, 127) == 4092);
  CHECK(tiles.address(0, 128) == 4096);
  CHECK(tiles.address(9, 130) == 3 * 4096 + 4096 + 512 + 2 * 4);
  CHECK(ScratchpadLayout::tiled(0, 300, 4, 64).address(8, 0) == 3 * 4096 + 64);
}

TEST_CASE("no two elements share a byte", "[scratchpad]") {
  for (const auto& layout :
       {ScratchpadLayout::row_major(7, 11, 2, 3), ScratchpadLayout::column_major(7, 9, 2, 3),
        ScratchpadLayout::tiled(7, 11, 2, 5, 2, 4)}) {
    std::set<std::uint64_t> bytes;
    for (Count r = 0; r < 9; ++r) {
      for (Count c = 0; c < 11; ++c) {
        bytes.insert(layout.address(r, c));
        bytes.insert(layout.address(r, c) + 1);
      }
    }
    CHECK(bytes.size() == 198);
    CHECK(*bytes.begin() == 7);
  }
}

TEST_CASE("streams by rows and by columns meet the same elements", "[scratchpad]") {
  for (const auto& layout :
       {ScratchpadLayout::row_major(16, 20, 2, 6), ScratchpadLayout::column_major(16, 20, 2, 6),
        ScratchpadLayout::tiled(16, 20, 2, 0, 8, 8)}) {
    const auto by_rows = layout.by_rows(9, 10, 5, 4), by_columns = layout.by_columns(9, 10, 5, 4);
    CHECK(by_rows.vectors == 5);
    CHECK(by_rows.first.lanes == 4);
    CHECK(by_columns.vectors == 4);
    CHECK(by_columns.first.lanes == 5);
    for (Count r = 0; r < 5; ++r) {
      for (Count c = 0; c < 4; ++c) {
        INFO("order " << static_cast<int>(layout.order) << ", " << r << ", " << c);
        CHECK(by_rows.at(r).address(c) == layout.address(9 + r, 10 + c));
        CHECK(by_columns.at(c).address(r) == layout.address(9 + r, 10 + c));
        CHECK(layout.row_vector(9 + r, 10, 4).address(c) == layout.address(9 + r, 10 + c));
        CHECK(layout.column_vector(9, 10 + c, 5).address(r) == layout.address(9 + r, 10 + c));
      }
    }
    CHECK(by_rows.first.element_bytes == 2);
  }
}

TEST_CASE("a vector of a tiled matrix stays in its tile", "[scratchpad]") {
  const auto tiles = ScratchpadLayout::tiled(0, 300, 4);
  CHECK_NOTHROW(tiles.row_vector(0, 128, 128));
  CHECK_THROWS_AS(tiles.row_vector(0, 127, 2), SimulationError);
  CHECK_NOTHROW(tiles.column_vector(8, 0, 8));
  CHECK_THROWS_AS(tiles.column_vector(7, 0, 2), SimulationError);
  CHECK_THROWS_AS(tiles.by_rows(0, 0, 9, 128), SimulationError);
  const auto tile = tiles.tile_vector(13, 200);
  CHECK(tile.base_address == tiles.address(8, 128));
  CHECK(tile.extent_bytes() == 4096);
  CHECK(tile.address(tile.lanes - 1) == tiles.address(15, 255));
  CHECK_THROWS_AS(ScratchpadLayout::row_major(0, 300, 4).tile_vector(0, 0), SimulationError);
  CHECK_THROWS_AS(ScratchpadLayout::tiled(0, 300, 4, 0, 0, 128), SimulationError);
}

}  // namespace
}  // namespace tilewave::test
