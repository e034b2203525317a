// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/program/data_type.hpp"
#include "sim/units.hpp"

/// Ops: what the user knows. A struct an op kind, plain data; the arithmetic of each (sizes, MACs,
/// compulsory bytes) stands in workloads/ops/<kind>.hpp/.cpp and nowhere else.
namespace tilewave {

/// What happens to a result before it is stored, fused into the producing kernel.
enum class Epilogue { bias, relu, gelu, silu, tanh, sigmoid, residual, scale, requantize };

enum class Layout { nhwc, nchw };

/// C[b][m x n] = A[b][m x k] * B[b][k x n] for each b of batch; B counts as weights. Every b has a
/// B of its own; a layer whose batch shares its weights is one GEMM with the batch in m.
struct Gemm {
  Count m = 0, n = 0, k = 0, batch = 1;
  bool transpose_a = false;  ///< A is stored k x m
  bool transpose_b = false;  ///< B is stored n x k
  /// Elements from one stored row to the next, of A, B and C (and a residual); 0: as long as a row.
  Count lda = 0, ldb = 0, ldc = 0;
  std::vector<Epilogue> epilogue{};
  friend bool operator==(const Gemm&, const Gemm&) = default;
};

/// 2-D convolution, output sizes by floor: OH = floor((H + top + bottom - (R-1) D - 1) / S) + 1.
struct Conv2d {
  Count n = 1, c = 0, h = 0, w = 0;  ///< input: batch, channels, height, width
  Count k = 0, r = 1, s = 1;         ///< filters, filter height and width
  std::array<Count, 2> stride{1, 1};
  std::array<Count, 2> padding{0, 0};  ///< top = bottom, left = right
  std::array<Count, 2> dilation{1, 1};
  Count groups = 1;
  Layout layout = Layout::nhwc;
  bool ceil_output = false;  ///< SCALE-Sim's rounding: a last partial window counts
  std::vector<Epilogue> epilogue{};
  friend bool operator==(const Conv2d&, const Conv2d&) = default;
};

enum class PoolKind { max, average };
struct Pool {
  PoolKind kind = PoolKind::max;
  Count n = 1, c = 0, h = 0, w = 0, r = 1, s = 1;
  std::array<Count, 2> stride{1, 1};
  std::array<Count, 2> padding{0, 0};
  Layout layout = Layout::nhwc;
  friend bool operator==(const Pool&, const Pool&) = default;
};

enum class ElementwiseKind {
  add,
  sub,
  mul,
  div,
  pow,
  relu,
  gelu,
  silu,
  tanh,
  sigmoid,
  exp,
  bias,
  residual,
  scale,
  cast,
  copy
};
/// operands 2 reads two tensors, 1 a tensor (and a scalar or vector too small to count).
struct Elementwise {
  ElementwiseKind kind = ElementwiseKind::add;
  Count elements = 0;
  Count operands = 1;
  friend bool operator==(const Elementwise&, const Elementwise&) = default;
};

using OpShape = std::variant<Gemm, Conv2d, Pool, Elementwise>;

struct Op {
  std::string name;  ///< unique in the workload
  DataType dtype = DataType::int8;
  OpShape shape;
  /// Names of the ops whose results it reads, or "input" for a tensor from outside. Empty: the op
  /// before it if that one's result has as many elements as this one's input, else from outside.
  /// One name an input, in the order of OpFacts::inputs: a second operand (elementwise with 2,
  /// residual epilogue) is the second name. Inputs after the last name come from outside.
  std::vector<std::string> inputs{};
  bool functional = false;        ///< compute values (Gemm)
  std::uint64_t values_seed = 0;  ///< of the operands when functional
  friend bool operator==(const Op&, const Op&) = default;
};

struct Workload {
  std::string name;
  std::vector<Op> ops{};
  friend bool operator==(const Workload&, const Workload&) = default;
};

/// An activation tensor that an op reads.
struct InputFacts {
  Count elements = 0;          ///< all of it
  Count touched_elements = 0;  ///< of these, the ones that are used (all but for windows' gaps)
  Bytes bytes = 0;             ///< of the touched ones; facts() sets it from the data type
  Count stored_elements = 0;   ///< places it takes in memory, gaps included
  [[nodiscard]] static InputFacts whole(Count elements) {
    return {.elements = elements, .touched_elements = elements, .stored_elements = elements};
  }
  friend bool operator==(const InputFacts&, const InputFacts&) = default;
};

/// The arithmetic of an op; one place, every machine uses it. Counts that do not fit stop at
/// kMaxCount (2^63 - 1); check_shape() reports such an op as a fault.
struct OpFacts {
  Count macs = 0;   ///< multiply-accumulates of matrix work
  Count flops = 0;  ///< 2 x MACs + one an elementwise step
  /// In the order of Op::inputs; those of a residual epilogue come last.
  std::vector<InputFacts> inputs{};
  Count weight_elements = 0;
  Count output_elements = 0;
  Count stored_output_elements = 0;  ///< places it takes in memory, gaps included
  Count bias_elements = 0;  ///< of the bias epilogue: parameters, too few to count as bytes
  /// Bytes that must move if nothing is on chip: each element that is used, once.
  Bytes weight_bytes = 0, output_bytes = 0;
  /// Of all inputs.
  [[nodiscard]] Bytes input_bytes() const {
    Bytes bytes = 0;
    for (const InputFacts& input : inputs) bytes += input.bytes;
    return bytes;
  }
  [[nodiscard]] Bytes compulsory_bytes() const {
    return input_bytes() + weight_bytes + output_bytes;
  }
  friend bool operator==(const OpFacts&, const OpFacts&) = default;
};
[[nodiscard]] OpFacts facts(const Op& op);
/// "gemm", "conv2d", "pool", "elementwise".
[[nodiscard]] std::string_view kind_name(const OpShape& shape);

}  // namespace tilewave
