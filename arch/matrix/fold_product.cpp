// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/fold_product.hpp"

#include <cstddef>
#include <utility>

#include "arch/matrix/multiply_add.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// sums[0 .. count) += factor * operands[0 .. count)
template <typename Operand, typename Acc>
void multiply_row(Acc* __restrict sums, Operand factor, const Operand* operands, Count count) {
  for (Count i = 0; i < count; ++i) sums[i] = multiply_add(sums[i], factor, operands[i]);
}

template <typename Operand, typename Acc>
void stationary(const FoldShape& shape, FoldNumbers<Operand, Acc>& numbers) {
  const Count rows = shape.rows_used;
  const Count cols = shape.cols_used;
  numbers.result.assign(shape.stream * cols, Acc{0});
  for (Count v = 0; v < shape.stream; ++v) {
    for (Count r = 0; r < rows; ++r) {
      multiply_row(numbers.result.data() + v * cols, numbers.stream[v * rows + r],
                   numbers.stationary.data() + r * cols, cols);
    }
  }
}

template <typename Operand, typename Acc>
void outer_products(const FoldShape& shape, const FoldNumbers<Operand, Acc>& numbers,
                    std::vector<Acc>& sums) {
  const Count rows = shape.rows_used;
  const Count cols = shape.cols_used;
  if (shape.first) sums.assign(rows * cols, Acc{0});
  for (Count v = 0; v < shape.stream; ++v) {
    for (Count r = 0; r < rows; ++r) {
      multiply_row(sums.data() + r * cols, numbers.stream[v * rows + r],
                   numbers.stream_top.data() + v * cols, cols);
    }
  }
}

}  // namespace

void FoldProduct::multiply_stationary(const FoldShape& shape, FoldValues& values) {
  std::visit([&](auto& numbers) { stationary(shape, numbers); }, values);
}

void FoldProduct::accumulate(const FoldShape& shape, FoldValues& values) {
  std::visit(
      [&](auto& numbers) {
        using Numbers = std::remove_reference_t<decltype(numbers)>;
        if (shape.first) {
          sums_.emplace<Numbers>();
        }
        auto* sums = std::get_if<Numbers>(&sums_);
        if (sums == nullptr) {
          throw SimulationError("systolic array: a chain of folds mixes integers and floats");
        }
        outer_products(shape, numbers, sums->result);
        if (shape.last) {
          numbers.result = std::move(sums->result);
        }
      },
      values);
}

}  // namespace tilewave
