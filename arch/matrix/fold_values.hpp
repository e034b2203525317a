// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace tilewave {

/// The numbers of one fold, for functional simulation. Row-major, only used rows and columns.
///   WS, IS: stationary[rows_used x cols_used], stream[stream x rows_used],
///           result[stream x cols_used]:
///           result[v][c] = sum over r = 0 .. rows_used-1, in that order, of
///           stream[v][r] * stationary[r][c], starting from 0; the accumulator memory outside the
///           array adds it to what it holds.
///   OS:     stream[stream x rows_used] (left edge), stream_top[stream x cols_used] (top edge),
///           result[rows_used x cols_used]: sums over v in order, over all folds from `first` to
///           `last`; written by the `last` fold only.
/// Products and sums are done in Acc: int32 two's complement (wrapping, as hardware does) or float,
/// product rounded, then sum rounded, no fused multiply-add.
template <typename Operand, typename Acc>
struct FoldNumbers {
  std::vector<Operand> stationary;
  std::vector<Operand> stream;
  std::vector<Operand> stream_top;
  std::vector<Acc> result;
};

/// Integer formats travel as int32 values, floating formats as the float that equals the narrow
/// number exactly (fp16, bf16, fp8 are subsets of fp32).
using FoldValues = std::variant<FoldNumbers<std::int32_t, std::int32_t>, FoldNumbers<float, float>>;

}  // namespace tilewave
