// SPDX-License-Identifier: Apache-2.0
// Input rows under a tile of output pixels, against listing them pixel by pixel.
#include "arch/program/window_rows.hpp"

#include <random>
#include <set>
#include <string>
#include <utility>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using program::WindowRows;

/// (image, row) of all input rows under the tile.
std::set<std::pair<Count, Count>> touched(const WindowRows& w, const LoopIndex& index) {
  std::set<std::pair<Count, Count>> rows;
  const auto first = static_cast<Count>(w.outputs.start_at(index));
  for (Count pixel = first; pixel < first + w.outputs.size_at(index); ++pixel) {
    const Count row = pixel / w.out_cols;
    for (Count t = 0; t < w.extent; ++t) {
      const Count padded = row % w.out_rows * w.stride + t;
      if (padded >= w.padding && padded < w.padding + w.in_rows) {
        rows.insert({row / w.out_rows, padded - w.padding});
      }
    }
  }
  return rows;
}

/// The same from the blocks; each row must be in one block only.
std::set<std::pair<Count, Count>> rows_of_blocks(const WindowRows& w, const LoopIndex& index) {
  std::set<std::pair<Count, Count>> rows;
  for (Count i = 0; i < w.blocks_at(index); ++i) {
    const program::RunBlock block = w.block_at(index, i);
    if (block.empty()) continue;
    REQUIRE(block.run_bytes == w.row_bytes);
    const auto& [images, channels, lines] = block.levels;
    for (Count image = 0; image < images.count; ++image) {
      for (Count line = 0; line < lines.count; ++line) {
        const Bytes at = block.offset + image * images.pitch_bytes + line * lines.pitch_bytes;
        const bool is_new =
            rows.insert({at / w.image_pitch_bytes, at % w.image_pitch_bytes / w.row_pitch_bytes})
                .second;
        REQUIRE(is_new);
        REQUIRE(at % w.row_pitch_bytes == 0);
      }
    }
  }
  return rows;
}

std::string text(const WindowRows& w) {
  return std::to_string(w.outputs.high) + " outputs in tiles of " +
         std::to_string(w.outputs.length) + ", images of " + std::to_string(w.out_rows) + " x " +
         std::to_string(w.out_cols) + " from " + std::to_string(w.in_rows) + " rows, stride " +
         std::to_string(w.stride) + ", extent " + std::to_string(w.extent) + ", padding " +
         std::to_string(w.padding);
}

/// Compares all tiles of w.
void check(const WindowRows& w) {
  INFO(text(w));
  const auto tiles = ceil_div(w.outputs.high, w.outputs.length);
  for (std::int64_t tile = 0; tile <= tiles; ++tile) {  // the last one is empty
    INFO("tile " << tile);
    const LoopIndex index{tile};
    const auto rows = touched(w, index);
    REQUIRE(w.bytes_at(index) == rows.size() * w.row_bytes);
    REQUIRE(rows_of_blocks(w, index) == rows);
  }
}

class RandomWindows {
 public:
  explicit RandomWindows(std::uint64_t seed) : random_(seed) {}

  /// Windows as a convolution has them: as many outputs as fit.
  WindowRows next(Count most_stride, Count most_padding) {
    WindowRows w;
    w.extent = pick(1, 5);
    w.stride = pick(1, most_stride);
    w.padding = pick(0, std::min(most_padding, w.extent - 1));
    const Count least = w.extent > 2 * w.padding ? w.extent - 2 * w.padding : 1;
    w.in_rows = pick(least, 12);
    w.out_rows = (w.in_rows + 2 * w.padding - w.extent) / w.stride + 1;
    w.out_cols = pick(1, 6);
    const Count images = pick(1, 4);
    w.outputs = Span::tile(0, pick(1, images * w.out_rows * w.out_cols + 2),
                           images * w.out_rows * w.out_cols);
    w.row_bytes = pick(1, 100);
    w.row_pitch_bytes = w.row_bytes + pick(0, 50);
    w.image_pitch_bytes = w.in_rows * w.row_pitch_bytes;
    return w;
  }
  Count pick(Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random_);
  }

 private:
  std::mt19937_64 random_;
};

TEST_CASE("rows under random windows, any stride, padding and tile", "[program]") {
  RandomWindows windows(1);
  for (int i = 0; i < 4000; ++i) check(windows.next(7, 4));
}

TEST_CASE("rows under windows that meet or overlap", "[program]") {
  RandomWindows windows(2);
  for (int i = 0; i < 2000; ++i) {
    WindowRows w = windows.next(1, 4);
    w.stride = windows.pick(1, w.extent);
    w.out_rows = (w.in_rows + 2 * w.padding - w.extent) / w.stride + 1;
    w.outputs.high = static_cast<std::int64_t>(windows.pick(1, 3) * w.out_rows * w.out_cols);
    check(w);
  }
}

TEST_CASE("an output row past the input counts the rows that are there", "[program]") {
  // SCALE-Sim's rounding: the last window lies only partly on the padded input.
  RandomWindows windows(3);
  for (int i = 0; i < 1000; ++i) {
    WindowRows w = windows.next(7, 4);
    if ((w.in_rows + 2 * w.padding - w.extent) % w.stride == 0) continue;
    ++w.out_rows;
    w.outputs.high = static_cast<std::int64_t>(windows.pick(1, 3) * w.out_rows * w.out_cols);
    check(w);
  }
}

TEST_CASE("windows in numbers", "[program]") {
  // 3 x 3 on 8 rows, padding 1: output row o needs rows o - 1 to o + 1.
  const WindowRows same{.outputs = Span::tile(0, 8, 128),
                        .out_rows = 8,
                        .out_cols = 8,
                        .in_rows = 8,
                        .stride = 1,
                        .padding = 1,
                        .extent = 3,
                        .row_bytes = 10,
                        .row_pitch_bytes = 16,
                        .image_pitch_bytes = 128};
  CHECK(same.bytes_at({0}) == 20);  // one row is padding
  CHECK(same.bytes_at({3}) == 30);
  CHECK(same.bytes_at({7}) == 20);
  CHECK(same.bytes_at({8}) == 20);  // the first row of the second image
  CHECK(same.block_at({0}, 0).offset == 0);
  CHECK(same.block_at({3}, 0).offset == 2 * 16);
  CHECK(same.block_at({8}, 0).offset == 128);
  CHECK(same.rows_touched(0, 8) == 8);
  CHECK(same.rows_touched(2, 5) == 5);
  CHECK(same.rows_touched(4, 4) == 0);

  // One row of three, as a 1 x 1 convolution with stride 3 needs.
  const WindowRows sparse{.outputs = Span::whole(4),
                          .out_rows = 4,
                          .out_cols = 1,
                          .in_rows = 10,
                          .stride = 3,
                          .padding = 0,
                          .extent = 1,
                          .row_bytes = 10,
                          .row_pitch_bytes = 10,
                          .image_pitch_bytes = 100};
  CHECK(sparse.bytes_at({}) == 40);
}

TEST_CASE("a large image is counted without listing its rows", "[program]") {
  constexpr Count kRows = Count{1} << 40;
  const WindowRows w{.outputs = Span::whole(kRows * 3),
                     .out_rows = kRows,
                     .out_cols = 1,
                     .in_rows = kRows,
                     .stride = 1,
                     .padding = 1,
                     .extent = 3,
                     .row_bytes = 1000,
                     .row_pitch_bytes = 1000,
                     .image_pitch_bytes = 1000 * kRows};
  CHECK(w.bytes_at({}) == 3 * kRows * 1000);
}

}  // namespace
}  // namespace tilewave::test
