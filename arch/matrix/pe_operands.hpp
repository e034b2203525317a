// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "arch/matrix/fold_values.hpp"
#include "arch/matrix/multiply_add.hpp"
#include "arch/matrix/pe_fold.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// The numbers of a fold with sums in Acc; operands travel in the same type.
template <typename Acc>
using NumbersOf = FoldNumbers<Acc, Acc>;

/// Copies `count` operands from `offset` on to target[0], target[stride], ..; without values, ones.
template <typename Operand, typename Acc>
void read_operands(const FoldValues* values, std::vector<Acc> NumbersOf<Acc>::*which, Count offset,
                   Count count, Operand* target, Index stride) {
  if (values == nullptr) {
    for (Count i = 0; i < count; ++i) target[static_cast<Index>(i) * stride] = Operand{1};
    return;
  }
  const Acc* source = (std::get<NumbersOf<Acc>>(*values).*which).data() + offset;
  for (Count i = 0; i < count; ++i) {
    target[static_cast<Index>(i) * stride] = static_cast<Operand>(source[i]);
  }
}

/// Hands a result over. Without values, checks that it is the number of products in it: if it is
/// not, operands did not meet where and when they should have.
template <typename Acc>
void deliver(FoldValues* values, Index index, Acc result, Count products) {
  if (values != nullptr) {
    std::get<NumbersOf<Acc>>(*values).result[static_cast<std::size_t>(index)] = result;
  } else if (result != static_cast<Acc>(products)) {
    throw SimulationError("systolic array: a result holds " + std::to_string(result) +
                          " products instead of " + std::to_string(products));
  }
}

/// The PEs of one row: sums[c] = above[c] + left[c] * other[c] in the columns that hold a token.
template <typename Operand, typename Acc>
void multiply_add_row(Acc* __restrict sums, const Acc* above, const Operand* left,
                      const Operand* other, const ColumnRange& cols) {
  if (cols.step == 1) {
    for (Index c = cols.first; c <= cols.last; ++c) {
      sums[c] = multiply_add(above[c], left[c], other[c]);
    }
  } else {
    for (Index c = cols.first; c <= cols.last; c += cols.step) {
      sums[c] = multiply_add(above[c], left[c], other[c]);
    }
  }
}

/// The same in place: sums[c] += left[c] * other[c].
template <typename Operand, typename Acc>
void accumulate_row(Acc* __restrict sums, const Operand* left, const Operand* other,
                    const ColumnRange& cols) {
  if (cols.step == 1) {
    for (Index c = cols.first; c <= cols.last; ++c) {
      sums[c] = multiply_add(sums[c], left[c], other[c]);
    }
  } else {
    for (Index c = cols.first; c <= cols.last; c += cols.step) {
      sums[c] = multiply_add(sums[c], left[c], other[c]);
    }
  }
}

/// The registers of one row take those of the row above, in the columns of the range.
template <typename T>
void copy_row(T* __restrict target, const T* source, const ColumnRange& cols) {
  if (cols.step == 1) {
    std::copy(source + cols.first, source + cols.last + 1, target + cols.first);
  } else {
    for (Index c = cols.first; c <= cols.last; c += cols.step) target[c] = source[c];
  }
}

}  // namespace tilewave
