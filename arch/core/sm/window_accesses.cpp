// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/window_accesses.hpp"

#include <algorithm>

namespace tilewave {

namespace {

constexpr Bytes kLine = BlockCache::kColumnBytes;
/// Rows that are less apart than a piece of a block are one access: they touch the same pieces.
constexpr Count kGapRows = BlockCache::kPieceRows;

/// Outputs [first, end) of a row whose tap lies on the input, and where that of the first does.
struct OnInput {
  Count first = 0, end = 0;
  Count position = 0;
  [[nodiscard]] Count count() const { return end - first; }
};

/// Of outputs [first, end) along an axis those whose tap `tap` lies on the input.
OnInput on_input(const program::WindowTaps::Axis& axis, Count tap, Count first, Count end) {
  const Count shift = tap * axis.dilation;
  if (shift < axis.padding) first = std::max(first, ceil_div(axis.padding - shift, axis.stride));
  if (axis.in + axis.padding <= shift) return {};
  end = std::min(end, ceil_div(axis.in + axis.padding - shift, axis.stride));
  if (first >= end) return {};
  return {first, end, first * axis.stride + shift - axis.padding};
}

/// Adds runs of rows up to accesses: those that meet, or nearly, are one.
class Rows {
 public:
  Rows(MatrixAccess like, std::vector<MatrixAccess>& out) : like_(like), out_(out) {}
  ~Rows() { flush(); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  /// Rows [first, first + count) of the matrix at `address`, of which `moved` bytes are taken.
  void add(std::uint64_t address, Count first, Count count, Bytes moved) {
    const bool follows = like_.moved_bytes > 0 && address == like_.address &&
                         first >= like_.first_row &&
                         first <= like_.first_row + like_.rows + kGapRows;
    if (!follows) {
      flush();
      like_.address = address;
      like_.first_row = first;
      like_.rows = 0;
    }
    like_.rows = std::max(like_.rows, first + count - like_.first_row);
    like_.moved_bytes += moved;
  }

 private:
  void flush() {
    if (like_.moved_bytes > 0) out_.push_back(like_);
    like_.moved_bytes = 0;
  }
  MatrixAccess like_;
  std::vector<MatrixAccess>& out_;
};

class Windows {
 public:
  Windows(const program::WindowTaps& w, std::uint64_t address, const LoopIndex& index,
          std::vector<MatrixAccess>& out)
      : w_(w), address_(address), out_(out) {
    first_ = static_cast<Count>(w.outputs.start_at(index));
    end_ = first_ + w.outputs.size_at(index);
    first_tap_ = static_cast<Count>(w.taps.start_at(index));
    end_tap_ = first_tap_ + w.taps.size_at(index);
  }

  void append() {
    if (end_ <= first_ || end_tap_ <= first_tap_) return;
    const Bytes pixel = bytes(w_.row_channels);
    if (w_.planes) {
      planes();
    } else if (pixel < kLine) {
      narrow_pixels(pixel);
    } else {
      wide_pixels(pixel);
    }
  }

 private:
  [[nodiscard]] Bytes bytes(Count elements) const { return (elements * w_.bits + 7) / 8; }

  /// Calls visit(image, input row, first output column, past the last) for the rows of outputs whose
  /// filter row r lies on the input.
  template <typename Visit>
  void each_row(Count r, Visit&& visit) const {
    for (Count o = first_; o < end_;) {
      const Count row = o / w_.cols.out, q = o % w_.cols.out;
      const Count end = std::min(w_.cols.out, q + end_ - o);
      o += end - q;
      const Count p = row % w_.rows.out;
      const OnInput y = on_input(w_.rows, r, p, p + 1);
      if (y.count() > 0) visit(row / w_.rows.out, y.position, q, end);
    }
  }

  /// Rows of pixels x channels, tap by tap.
  void wide_pixels(Bytes pixel) {
    const Count step = w_.cols.stride;
    for (Count tap = first_tap_; tap < end_tap_;) {
      const Count place = tap / w_.channels, c = tap % w_.channels;
      const Count channels = std::min(w_.channels - c, end_tap_ - tap);
      tap += channels;
      const Bytes begin = c * w_.bits / 8, width = bytes(c + channels) - begin;
      MatrixAccess like;
      like.first_byte = begin;
      like.row_bytes = width;
      like.pitch_bytes = step * pixel;
      like.whole_pieces = true;
      Rows rows(like, out_);
      each_row(place / w_.cols.filter, [&](Count image, Count y, Count q, Count end) {
        const OnInput x = on_input(w_.cols, place % w_.cols.filter, q, end);
        if (x.count() == 0) return;
        const Count at = (image * w_.rows.in + y) * w_.cols.in + x.position;
        rows.add(address_ + at % step * pixel, at / step, x.count(), x.count() * width);
      });
    }
  }

  /// Lines of the tensor under filter row r, columns [s, end_s): elements of `pitch` bytes, of which
  /// `moved(s)` bytes are taken at each, the first row of an image at offset_of(image).
  template <typename Offset, typename Moved>
  void lines(Count r, Count s, Count end_s, Bytes pitch, Offset&& offset_of, Moved&& moved) {
    MatrixAccess like;
    like.row_bytes = like.pitch_bytes = kLine;
    like.whole_pieces = true;
    Rows rows(like, out_);
    each_row(r, [&](Count image, Count y, Count q, Count end) {
      Count low = w_.cols.in, high = 0;
      Bytes sum = 0;
      for (Count column = s; column < end_s; ++column) {
        const OnInput x = on_input(w_.cols, column, q, end);
        if (x.count() == 0) continue;
        low = std::min(low, x.position);
        high = std::max(high, x.position + (x.count() - 1) * w_.cols.stride + 1);
        sum += x.count() * moved(column);
      }
      if (sum == 0) return;
      const Bytes row = offset_of(image) + y * w_.cols.in * pitch;
      const Count first = (row + low * pitch) / kLine;
      rows.add(address_, first, ceil_div(row + high * pitch, kLine) - first, sum);
    });
  }

  void narrow_pixels(Bytes pixel) {
    const Count of_row = w_.cols.filter * w_.channels;
    for (Count r = first_tap_ / of_row; r * of_row < end_tap_; ++r) {
      const Count first = std::max(first_tap_, r * of_row) - r * of_row;
      const Count end = std::min(end_tap_ - r * of_row, of_row);
      lines(
          r, first / w_.channels, ceil_div(end, w_.channels), pixel,
          [&](Count image) { return image * w_.rows.in * w_.cols.in * pixel; },
          [&](Count s) {
            const Count low = std::max(first, s * w_.channels);
            return bytes(std::min(end, (s + 1) * w_.channels) - low);
          });
    }
  }

  void planes() {
    const Count of_row = w_.cols.filter;
    for (Count row = first_tap_ / of_row; row * of_row < end_tap_; ++row) {
      const Count first = std::max(first_tap_, row * of_row) - row * of_row;
      const Count end = std::min(end_tap_ - row * of_row, of_row);
      const Count channel = row / w_.rows.filter;
      lines(
          row % w_.rows.filter, first, end, bytes(1),
          [&](Count image) {
            return (image * w_.row_channels + channel) * w_.rows.in * w_.cols.in * bytes(1);
          },
          [&](Count) { return bytes(1); });
    }
  }

  const program::WindowTaps& w_;
  std::uint64_t address_;
  std::vector<MatrixAccess>& out_;
  Count first_ = 0, end_ = 0, first_tap_ = 0, end_tap_ = 0;
};

}  // namespace

void append_window_accesses(const program::WindowTaps& windows, std::uint64_t address,
                            const LoopIndex& index, std::vector<MatrixAccess>& out) {
  Windows(windows, address, index, out).append();
}

}  // namespace tilewave
