// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "arch/matrix/pe_fold.hpp"

namespace tilewave {

/// One register a PE, row-major.
template <typename T>
class PeGrid {
 public:
  PeGrid() = default;
  PeGrid(Index rows, Index cols)
      : cols_(cols), cells_(static_cast<std::size_t>(rows * cols), T{}) {}
  template <typename Other>
  explicit PeGrid(const PeGrid<Other>& other)
      : cols_(other.cols_), cells_(other.cells_.begin(), other.cells_.end()) {}

  [[nodiscard]] T* row(Index index) { return cells_.data() + index * cols_; }
  [[nodiscard]] T& at(Index row_index, Index col) { return row(row_index)[col]; }

 private:
  template <typename>
  friend class PeGrid;
  Index cols_ = 0;
  std::vector<T> cells_;
};

/// Registers that move right, a row: first the skew registers of the left edge (as many as the
/// row's number), then one a PE. Position d of row r is thus PE (r, d - r). Nothing is copied to
/// shift: the origin of all rows moves left in its memory, and once it is at the start, back to the
/// end.
template <typename T>
class RightShiftRegisters {
 public:
  RightShiftRegisters() = default;
  RightShiftRegisters(Index rows, Index cols)
      : rows_(rows),
        length_(rows + cols),
        slack_(std::max<Index>(kMinSlack, length_ / 4)),
        origin_(slack_),
        cells_(static_cast<std::size_t>(rows * (length_ + slack_)), T{}) {}
  template <typename Other>
  explicit RightShiftRegisters(const RightShiftRegisters<Other>& other)
      : rows_(other.rows_),
        length_(other.length_),
        slack_(other.slack_),
        origin_(other.origin_),
        cells_(other.cells_.begin(), other.cells_.end()) {}

  /// The registers of a row from its entry on.
  [[nodiscard]] T* row(Index index) { return cells_.data() + index * pitch() + origin_; }
  /// Elements from a register to the same one of the next row.
  [[nodiscard]] Index pitch() const { return length_ + slack_; }
  /// What PE (row, 0) and those to its right hold.
  [[nodiscard]] const T* at_pes(Index index) { return row(index) + index; }

  /// Every register takes its left neighbour's content; the entries are undefined.
  void shift() {
    if (origin_ == 0) {
      for (Index r = 0; r < rows_; ++r) {
        T* begin = cells_.data() + r * pitch();
        std::copy_backward(begin, begin + length_, begin + length_ + slack_);
      }
      origin_ = slack_;
    }
    --origin_;
  }

 private:
  template <typename>
  friend class RightShiftRegisters;
  static constexpr Index kMinSlack = 64;
  Index rows_ = 0;
  Index length_ = 0;
  Index slack_ = 0;
  Index origin_ = 0;
  std::vector<T> cells_;
};

/// Registers that move down, a column: first the skew registers of the top edge (as many as the
/// column's number), then one a PE. Rows of registers lie in a ring; to shift, its origin moves.
template <typename T>
class DownShiftRegisters {
 public:
  DownShiftRegisters() = default;
  DownShiftRegisters(Index rows, Index cols)
      : cols_(cols), length_(rows + cols), cells_(static_cast<std::size_t>(length_ * cols), T{}) {}
  template <typename Other>
  explicit DownShiftRegisters(const DownShiftRegisters<Other>& other)
      : cols_(other.cols_),
        length_(other.length_),
        origin_(other.origin_),
        cells_(other.cells_.begin(), other.cells_.end()) {}

  /// The registers of the PEs of a row.
  [[nodiscard]] const T* row(Index index) const {
    return cells_.data() + (origin_ + index) % length_ * cols_;
  }
  /// The entry of a column, `col` shifts above PE (0, col).
  [[nodiscard]] T& entry(Index col) {
    return cells_[static_cast<std::size_t>((origin_ + length_ - col) % length_ * cols_ + col)];
  }
  /// Every register takes its upper neighbour's content; the entries are undefined.
  void shift() { origin_ = (origin_ + length_ - 1) % length_; }

 private:
  template <typename>
  friend class DownShiftRegisters;
  Index cols_ = 0;
  Index length_ = 0;
  Index origin_ = 0;
  std::vector<T> cells_;
};

}  // namespace tilewave
