// SPDX-License-Identifier: Apache-2.0
// The bytes of a region, run by run, against listing them element by element.
#include "arch/program/run_cursor.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "support/catch.hpp"

namespace tilewave::test {
namespace {

using program::PlanePixels;
using program::Region;
using program::RunCursor;
using program::StridedRows;
using program::WindowRows;
using program::WindowTaps;

/// How often each byte is moved.
using ByteCounts = std::map<std::uint64_t, Count>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Count size(std::int64_t low, std::int64_t high) { return static_cast<Count>(pick(low, high)); }
  /// A tile of [0, extent) that moves with loop 0 or 1, or all of it.
  Span tile(Count extent) {
    if (pick(0, 3) == 0) return Span::whole(extent);
    return Span::tile(static_cast<int>(pick(0, 1)), size(1, static_cast<std::int64_t>(extent) + 1),
                      extent);
  }
  LoopIndex index() { return {pick(0, 3), pick(0, 3)}; }

 private:
  std::mt19937_64 random_;
};

void for_each(const Span& s, const LoopIndex& index, const std::function<void(Count)>& visit) {
  const auto first = s.start_at(index);
  for (Count i = 0; i < s.size_at(index); ++i) visit(static_cast<Count>(first) + i);
}

/// What the cursor gives, in pieces of at most `most` bytes, equals `expected`; no run is empty.
void check(const Region& region, const LoopIndex& index, const ByteCounts& expected, Bytes most) {
  ByteCounts moved;
  Bytes sum = 0;
  for (RunCursor cursor(region, index); !cursor.done();) {
    const auto run = cursor.next(most);
    REQUIRE(run.bytes > 0);
    REQUIRE(run.bytes <= most);
    for (Bytes b = 0; b < run.bytes; ++b) ++moved[run.offset + b];
    sum += run.bytes;
  }
  REQUIRE(moved == expected);
  REQUIRE(region.bytes_at(index) == sum);
}

TEST_CASE("rows at a pitch, packed or not") {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const bool packed = random.pick(0, 3) == 0;
    const Span row = random.tile(random.size(1, 12));
    StridedRows rows{{{random.tile(random.size(1, 5)), 1000},
                      {random.tile(random.size(1, 6)), packed ? 0 : random.size(12, 15)}},
                     row};
    if (random.pick(0, 2) == 0) rows.dims.erase(rows.dims.begin());
    const Region region{
        .tensor = 0, .offset_bytes = Affine::of_loop(0, random.pick(0, 50), 7), .shape = rows};
    const LoopIndex index = random.index();
    ByteCounts expected;
    const auto base = static_cast<std::uint64_t>(region.offset_bytes.at(index));
    const auto line = [&](std::uint64_t at) {
      if (packed) {
        const Count bytes = rows.dims.back().span.size_at(index) * row.size_at(index);
        for (Count b = 0; b < bytes; ++b) ++expected[at + b];
        return;
      }
      for_each(rows.dims.back().span, index, [&](Count d) {
        for_each(row, index,
                 [&](Count b) { ++expected[at + d * rows.dims.back().pitch_bytes + b]; });
      });
    };
    if (rows.dims.size() == 1) {
      line(base);
    } else {
      for_each(rows.dims[0].span, index, [&](Count d) { line(base + d * 1000); });
    }
    check(region, index, expected, random.size(1, 40));
  }
}

/// An input of n x c x h x w elements of a byte under windows, and where an element lies.
struct Input {
  explicit Input(Random& random)
      : planes(random.pick(0, 1) == 1), images(random.size(1, 3)), channels(random.size(1, 4)) {
    for (auto* axis : {&rows, &cols}) {
      axis->filter = random.size(1, 3);
      axis->stride = random.size(1, 4);
      axis->dilation = random.size(1, 2);
      const Count extent = (axis->filter - 1) * axis->dilation + 1;
      axis->padding = random.size(0, static_cast<std::int64_t>(extent) - 1);
      axis->in = random.size(1, 6) + extent;
      axis->out = (axis->in + 2 * axis->padding - extent) / axis->stride + 1;
      // SCALE-Sim's rounding: a last window that lies on the input partly, or not at all.
      if (random.pick(0, 3) == 0) ++axis->out;
    }
  }
  [[nodiscard]] std::uint64_t at(Count n, Count c, Count y, Count x) const {
    return planes ? ((n * channels + c) * rows.in + y) * cols.in + x
                  : ((n * rows.in + y) * cols.in + x) * channels + c;
  }
  [[nodiscard]] Count pixels() const { return images * rows.out * cols.out; }
  /// Calls visit(y, x) of each tap of the window of output pixel `p` that lies on the image.
  void for_taps(Count p,
                const std::function<void(Count r, Count s, Count y, Count x)>& visit) const {
    for (Count r = 0; r < rows.filter; ++r) {
      for (Count s = 0; s < cols.filter; ++s) {
        const Count y = p / cols.out % rows.out * rows.stride + r * rows.dilation;
        const Count x = p % cols.out * cols.stride + s * cols.dilation;
        if (y < rows.padding || x < cols.padding) continue;
        if (y - rows.padding >= rows.in || x - cols.padding >= cols.in) continue;
        visit(r, s, y - rows.padding, x - cols.padding);
      }
    }
  }
  bool planes;
  Count images, channels;
  WindowTaps::Axis rows, cols;
};

TEST_CASE("rows under windows, channels last and in planes") {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    const Input in(random);
    const Count c = in.planes ? 1 : in.channels;  // elements a column
    WindowRows w{.outputs = random.tile(in.pixels()),
                 .out_rows = in.rows.out,
                 .out_cols = in.cols.out,
                 .in_rows = in.rows.in,
                 .stride = in.rows.stride,
                 .padding = in.rows.padding,
                 .extent = (in.rows.filter - 1) * in.rows.dilation + 1,
                 .row_bytes = in.cols.in * c,
                 .row_pitch_bytes = in.cols.in * c,
                 .image_pitch_bytes = in.rows.in * in.cols.in * in.channels,
                 .channels = in.planes ? in.channels : 1,
                 .channel_pitch_bytes = in.rows.in * in.cols.in};
    std::vector<Count> columns;
    for (Count x = 0; x < in.cols.in; ++x) columns.push_back(x);
    if (random.pick(0, 1) == 1) {  // every other column only
      std::erase_if(columns, [](Count x) { return x % 2 == 0; });
      w.row_bytes = columns.size() * c;
      for (const Count x : columns) w.columns.push_back({x * c, c});
    }
    const LoopIndex index = random.index();
    ByteCounts expected;
    for_each(w.outputs, index, [&](Count p) {
      const Count n = p / in.cols.out / in.rows.out;
      // All rows that the window spans, taps or not.
      for (Count t = 0; t < w.extent; ++t) {
        const Count y = p / in.cols.out % in.rows.out * w.stride + t;
        if (y < w.padding || y - w.padding >= w.in_rows) continue;
        for (const Count x : columns) {
          for (Count ch = 0; ch < in.channels; ++ch) {
            expected[in.at(n, ch, y - w.padding, x)] = 1;
          }
        }
      }
    });
    check({.tensor = 0, .shape = w}, index, expected, random.size(1, 30));
  }
}

TEST_CASE("pixels of planes") {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    const Count images = random.size(1, 4), planes = random.size(1, 5), pixels = random.size(1, 9);
    const PlanePixels p{.pixels = random.tile(images * pixels),
                        .channels = random.tile(planes),
                        .image_pixels = pixels,
                        .bits = 16,
                        .plane_pitch_bytes = pixels * 2,
                        .image_pitch_bytes = planes * pixels * 2};
    const LoopIndex index = random.index();
    ByteCounts expected;
    for_each(p.pixels, index, [&](Count pixel) {
      for_each(p.channels, index, [&](Count channel) {
        const auto at = pixel / pixels * p.image_pitch_bytes + channel * p.plane_pitch_bytes +
                        pixel % pixels * 2;
        ++expected[at];
        ++expected[at + 1];
      });
    });
    check({.tensor = 0, .shape = p}, index, expected, random.size(1, 30));
  }
}

TEST_CASE("windows tap by tap, of all channels or a group's") {
  Random random(4);
  for (int i = 0; i < 3000; ++i) {
    const Input in(random);
    const Count groups = random.pick(0, 1) == 1 ? in.channels : 1;
    const Count channels = in.channels / groups,
                group = random.size(0, static_cast<std::int64_t>(groups) - 1);
    const Count filter = in.rows.filter * in.cols.filter;
    const WindowTaps w{.outputs = random.tile(in.pixels()),
                       .taps = random.tile(filter * channels),
                       .rows = in.rows,
                       .cols = in.cols,
                       .channels = channels,
                       .row_channels = in.channels,
                       .planes = in.planes};
    const LoopIndex index = random.index();
    const Count tap_first = static_cast<Count>(w.taps.start_at(index));
    const Count tap_last = tap_first + w.taps.size_at(index);
    ByteCounts expected;
    for_each(w.outputs, index, [&](Count p) {
      in.for_taps(p, [&](Count r, Count s, Count y, Count x) {
        for (Count c = 0; c < channels; ++c) {
          const Count tap = in.planes ? (c * in.rows.filter + r) * in.cols.filter + s
                                      : (r * in.cols.filter + s) * channels + c;
          if (tap < tap_first || tap >= tap_last) continue;
          ++expected[in.at(p / in.cols.out / in.rows.out, group * channels + c, y, x)];
        }
      });
    });
    const auto offset = static_cast<std::int64_t>(in.at(0, group * channels, 0, 0));
    check({.tensor = 0, .offset_bytes = Affine::constant(offset), .shape = w}, index, expected,
          random.size(1, 30));
  }
}

TEST_CASE("a region an iteration later is what it becomes there") {
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const Region region{.tensor = 0,
                        .offset_bytes = Affine::of_loop(0, random.pick(0, 50)).plus(1, 3),
                        .shape = StridedRows{{{random.tile(9), 40}}, random.tile(30)}};
    LoopIndex index = random.index();
    const int loop = static_cast<int>(random.pick(0, 1));
    const Region later = region.one_later(loop);
    LoopIndex next = index;
    ++next[static_cast<std::size_t>(loop)];
    RunCursor a(later, index), b(region, next);
    while (!a.done() && !b.done()) REQUIRE(a.next(1000) == b.next(1000));
    REQUIRE(a.done() == b.done());
  }
}

TEST_CASE("runs that touch are one run") {
  // 4 images of 3 x 5 bytes without gaps.
  const Region whole{
      .tensor = 0,
      .shape = StridedRows{{{Span::whole(4), 15}, {Span::whole(3), 5}}, Span::whole(5)}};
  RunCursor cursor(whole, {});
  CHECK(cursor.next(1000) == program::ByteRun{0, 60});
  CHECK(cursor.done());
}

}  // namespace
}  // namespace tilewave::test
