// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/pe_fold.hpp"

#include <algorithm>

namespace tilewave {

ColumnRange PeFold::columns(Index row) const {
  const Index step_columns = step();
  const Index edge = static_cast<Index>(shape.cols_used) - 1;
  ColumnRange range{tail() - row, front - row, step_columns};
  // Only tokens that are in this row now count; bounds move by whole steps to stay on tokens.
  if (range.last > edge) range.last -= ceil_div(range.last - edge, step_columns) * step_columns;
  if (range.first < 0) range.first += ceil_div(-range.first, step_columns) * step_columns;
  return range;
}

ColumnRange PeFold::rows(Index array_rows) const {
  const Index edge = static_cast<Index>(shape.cols_used) - 1;
  return {std::max<Index>(0, tail() - edge), std::min(array_rows - 1, front), 1};
}

void PeFold::enter() {
  if (!inside()) front = 0;
  ++entered;
}

void PeFold::move(Index last_diagonal) {
  if (!inside()) return;
  if (front == last_diagonal) {
    ++left;
    front -= step();  // the next token, if there is one
  }
  ++front;
}

void PeLoad::move() {
  for (PeLoadPulse& pulse : pulses) ++pulse.column;
  while (!pulses.empty() && pulses.front().column >= static_cast<Index>(shape.cols_used)) {
    pulses.pop_front();
  }
}

}  // namespace tilewave
