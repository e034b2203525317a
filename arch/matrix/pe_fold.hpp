// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>

#include "arch/matrix/array_params.hpp"
#include "arch/matrix/fold_values.hpp"

namespace tilewave {

/// Everything in the PE-by-PE model counts rows, columns and diagonals in this type.
using Index = std::ptrdiff_t;

/// Columns first, first + step, .. last of one row.
struct ColumnRange {
  Index first = 0;
  Index last = -1;
  Index step = 1;
  [[nodiscard]] bool empty() const { return first > last; }
  [[nodiscard]] Index size() const { return empty() ? 0 : (last - first) / step + 1; }
};

/// The vectors of one fold that are inside the array, as tokens. Operands enter skewed by one cycle
/// a row and a column and move one hop a cycle, so that the PEs that meet one vector in one cycle
/// are those of one diagonal r + c: a token is the diagonal it stands on, and all move on by one
/// each cycle. Tokens of a fold follow each other at the distance of its interval.
struct PeFold {
  FoldShape shape;
  FoldValues* values = nullptr;  ///< null: all operands are 1
  bool floating = false;
  Count entered = 0;         ///< vectors that have entered
  Count left = 0;            ///< vectors that have left at the far corner
  Index front = 0;           ///< diagonal of the oldest token inside
  bool drained = false;      ///< OS, shift, last: the last column has shifted everything out
  Count macs = 0;            ///< done by PEs in used rows and columns
  Count vectors_summed = 0;  ///< OS: vectors of this fold and of those it continues

  [[nodiscard]] bool inside() const { return entered > left; }
  [[nodiscard]] Index step() const { return static_cast<Index>(shape.interval); }
  /// Diagonal of the youngest token. Only if inside().
  [[nodiscard]] Index tail() const {
    return front - static_cast<Index>(entered - left - 1) * step();
  }
  [[nodiscard]] bool first_vector_inside() const { return inside() && left == 0; }
  /// Only while the last vector is inside, where it is the tail.
  [[nodiscard]] bool last_vector_inside() const { return inside() && entered == shape.stream; }
  /// Used columns of a row in which a PE holds a token in this cycle.
  [[nodiscard]] ColumnRange columns(Index row) const;
  /// Rows that may have such columns: [first, last] with step 1.
  [[nodiscard]] ColumnRange rows(Index array_rows) const;

  /// A vector appears at PE (0,0).
  void enter();
  /// All tokens move on by one; one that was at `last_diagonal` leaves.
  void move(Index last_diagonal);
};

/// A row of stationary operands on its way right along the columns; at each column it reaches, that
/// column's registers shift down by one row. Row 0 takes its operand from the skew register `slot`.
struct PeLoadPulse {
  Index number = 0;  ///< 0: first of its load
  Index column = 0;
  Index slot = 0;
};

/// The pulses of one load, oldest (rightmost) first.
struct PeLoad {
  FoldShape shape;
  FoldValues* values = nullptr;
  bool floating = false;
  std::deque<PeLoadPulse> pulses;

  /// All pulses move right by one; those beyond the used columns have nothing more to do.
  void move();
};

}  // namespace tilewave
