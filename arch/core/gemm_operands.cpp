// SPDX-License-Identifier: Apache-2.0
#include "arch/core/matrix_sequencer.hpp"

namespace tilewave {

namespace {

/// rows x cols of `source` (row-major, `pitch` elements a row) from (row, col) on.
template <typename T>
std::vector<T> cut(const std::vector<T>& source, Count pitch, Count row, Count col, Count rows,
                   Count cols) {
  std::vector<T> out(rows * cols);
  for (Count r = 0; r < rows; ++r) {
    for (Count c = 0; c < cols; ++c) out[r * cols + c] = source[(row + r) * pitch + col + c];
  }
  return out;
}

template <typename T>
std::vector<T> transpose(const std::vector<T>& source, Count rows, Count cols) {
  std::vector<T> out(rows * cols);
  for (Count r = 0; r < rows; ++r) {
    for (Count c = 0; c < cols; ++c) out[c * rows + r] = source[r * cols + c];
  }
  return out;
}

template <typename T>
FoldNumbers<T, T> operands(const Job& job, Dataflow dataflow, const std::vector<T>& a,
                           const std::vector<T>& b) {
  const auto& v = *job.kernel->values;
  const auto m0 = static_cast<Count>(job.m0), n0 = static_cast<Count>(job.n0),
             k0 = static_cast<Count>(job.k0), batch = static_cast<Count>(job.batch);
  auto a_tile = cut(a, v.k, batch * v.m + m0, k0, job.m, job.k);
  auto b_tile = cut(b, v.n, batch * v.k + k0, n0, job.k, job.n);
  FoldNumbers<T, T> fold;
  switch (dataflow) {
    case Dataflow::weight_stationary:
      fold.stationary = std::move(b_tile);
      fold.stream = std::move(a_tile);
      break;
    case Dataflow::input_stationary:
      fold.stationary = transpose(a_tile, job.m, job.k);
      fold.stream = transpose(b_tile, job.k, job.n);
      break;
    case Dataflow::output_stationary:
      fold.stream = transpose(a_tile, job.m, job.k);
      fold.stream_top = std::move(b_tile);
      break;
  }
  return fold;
}

std::int32_t add(std::int32_t a, std::int32_t b) {  // wraps, as the accumulator does
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
float add(float a, float b) { return a + b; }

template <typename T>
void accumulate(const Job& job, Dataflow dataflow, const FoldNumbers<T, T>& fold,
                std::vector<T>& c) {
  const auto& v = *job.kernel->values;
  const auto m0 = static_cast<Count>(job.m0), n0 = static_cast<Count>(job.n0),
             batch = static_cast<Count>(job.batch);
  if (fold.result.empty()) return;  // OS: the sums stay in the array until the last fold
  const bool transposed = dataflow == Dataflow::input_stationary;
  for (Count i = 0; i < job.m; ++i) {
    for (Count j = 0; j < job.n; ++j) {
      const T value = transposed ? fold.result[j * job.m + i] : fold.result[i * job.n + j];
      T& out = c[(batch * v.m + m0 + i) * v.n + n0 + j];
      out = add(out, value);
    }
  }
}

}  // namespace

FoldValues fold_operands(const Job& job, Dataflow dataflow) {
  const auto& v = *job.kernel->values;
  if (v.integer) return operands(job, dataflow, v.a_ints, v.b_ints);
  return operands(job, dataflow, v.a_floats, v.b_floats);
}

void accumulate_result(const Job& job, Dataflow dataflow, const FoldValues& values) {
  auto& v = *job.kernel->values;
  if (v.integer) {
    accumulate(job, dataflow, std::get<FoldNumbers<std::int32_t, std::int32_t>>(values), v.c_ints);
  } else {
    accumulate(job, dataflow, std::get<FoldNumbers<float, float>>(values), v.c_floats);
  }
}

}  // namespace tilewave
