// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/program/data_type.hpp"
#include "sim/units.hpp"

/// The sizes of each op kind: plain data. Their arithmetic stands in workloads/ops/<kind>.hpp.
namespace tilewave {

/// What happens to a result before it is stored, fused into the producing kernel.
enum class Epilogue {
  bias,
  relu,
  gelu,
  silu,
  tanh,
  sigmoid,
  residual,
  scale,
  requantize,
  hard_swish,
  hard_sigmoid
};

enum class Layout { nhwc, nchw };

/// C[b][m x n] = A[b][m x k] * B[b][k x n] for each b of batch; B counts as weights unless it is an
/// activation. Every b has a B of its own; a layer whose batch shares its weights is one GEMM with
/// the batch in m.
struct Gemm {
  Count m = 0, n = 0, k = 0, batch = 1;
  bool transpose_a = false;      ///< A is stored k x m
  bool transpose_b = false;      ///< B is stored n x k
  bool b_is_activation = false;  ///< B is the second input, not weights
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
  std::array<Count, 2> padding{0, 0};  ///< top, left; also bottom, right unless padding_end
  std::optional<std::array<Count, 2>> padding_end{};  ///< bottom, right, where they differ
  std::array<Count, 2> dilation{1, 1};
  Count groups = 1;
  Layout layout = Layout::nhwc;
  bool ceil_output = false;  ///< SCALE-Sim's rounding: a last partial window counts
  std::vector<Epilogue> epilogue{};
  /// The adjoint: every input pixel adds a filter to the output, `stride` apart; `padding` pixels
  /// are cut off the output's sides: OH = (H-1) S - 2 padding + (R-1) D + output_padding + 1.
  bool transposed = false;
  std::array<Count, 2> output_padding{0, 0};  ///< rows below, columns right, if transposed
  /// The gradient of the filters instead: reads the input and the gradient of the output.
  bool weight_gradient = false;
  friend bool operator==(const Conv2d&, const Conv2d&) = default;
};

/// Convolution along one axis of length w.
struct Conv1d {
  Count n = 1, c = 0, w = 0;  ///< input: batch, channels, length
  Count k = 0, s = 1;         ///< filters, filter length
  Count stride = 1;
  std::array<Count, 2> padding{0, 0};  ///< zeros before, after; a causal one has none after
  Count dilation = 1, groups = 1;
  std::vector<Epilogue> epilogue{};
  friend bool operator==(const Conv1d&, const Conv1d&) = default;
};

/// Convolution along depth, height and width.
struct Conv3d {
  Count n = 1, c = 0, d = 0, h = 0, w = 0;  ///< input: batch, channels, depth, height, width
  Count k = 0, t = 1, r = 1, s = 1;         ///< filters, filter depth, height and width
  std::array<Count, 3> stride{1, 1, 1};
  std::array<Count, 3> padding{0, 0, 0};  ///< on both sides of each axis
  std::array<Count, 3> dilation{1, 1, 1};
  Count groups = 1;
  std::vector<Epilogue> epilogue{};
  friend bool operator==(const Conv3d&, const Conv3d&) = default;
};

enum class PoolKind { max, average };
struct Pool {
  PoolKind kind = PoolKind::max;
  Count n = 1, c = 0, h = 0, w = 0, r = 1, s = 1;
  std::array<Count, 2> stride{1, 1};
  std::array<Count, 2> padding{0, 0};
  Layout layout = Layout::nhwc;
  bool backward = false;  ///< the gradient of the input instead
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
  copy,
  hard_swish,
  hard_sigmoid
};
/// operands 2 reads two tensors, 1 a tensor (and a scalar or vector too small to count).
struct Elementwise {
  ElementwiseKind kind = ElementwiseKind::add;
  Count elements = 0;
  Count operands = 1;
  /// Of the second operand where it is smaller and each of its elements serves several results, as
  /// a factor a channel does; 0: as many as results.
  Count second_elements = 0;
  friend bool operator==(const Elementwise&, const Elementwise&) = default;
};

/// softmax(Q K^T / sqrt(head_dim)) V over `heads` query heads; heads / kv_heads of them share a head
/// of K and V. The queries are the last q_len positions of the context: query i stands at position
/// kv_len - q_len + i, so that q_len = kv_len is prefill, less is chunked prefill and 1 is decode.
struct Attention {
  enum class Algorithm {
    flash,   ///< scores stay on chip
    unfused  ///< scores and probabilities go to memory and come back
  };
  Count batch = 1, heads = 0, kv_heads = 0;
  Count q_len = 0, kv_len = 0;  ///< queries, keys a sequence
  Count head_dim = 0;           ///< of Q and K
  Count v_head_dim = 0;         ///< of V and the result
  bool causal = false;          ///< a query sees no position after its own
  Count window = 0;             ///< a query sees so many positions up to its own; 0: all
  Algorithm algorithm = Algorithm::flash;
  bool v_in_k = false;    ///< V is the first v_head_dim elements of K (latent attention), no input
  bool backward = false;  ///< the gradients of Q, K and V instead
  friend bool operator==(const Attention&, const Attention&) = default;
};

enum class NormalizationKind { softmax, layernorm, rmsnorm, batchnorm };
/// Of each row of `cols` elements; batchnorm scales and shifts each of `cols` channels.
struct Normalization {
  NormalizationKind kind = NormalizationKind::softmax;
  Count rows = 0, cols = 0;
  bool batch_statistics = false;  ///< batchnorm: of these rows, as training does, not constants
  bool backward = false;          ///< the gradient of the input (and of scales and shifts) instead
  friend bool operator==(const Normalization&, const Normalization&) = default;
};

/// Rotary position embedding of `rows` vectors (tokens x heads) of `cols` elements.
struct Rotary {
  Count rows = 0, cols = 0;
  friend bool operator==(const Rotary&, const Rotary&) = default;
};

enum class ReduceKind { sum, mean, max };
/// A number of each row.
struct Reduce {
  ReduceKind kind = ReduceKind::sum;
  Count rows = 0, cols = 0;
  friend bool operator==(const Reduce&, const Reduce&) = default;
};

/// `rows` results, each the sum of `pooled` rows of a table of table_rows x width.
struct Embedding {
  Count rows = 0, width = 0, table_rows = 0, pooled = 1;
  friend bool operator==(const Embedding&, const Embedding&) = default;
};

/// A tensor of `dims` with its axes in another order: axis i of the result is axis permutation[i].
struct Transpose {
  std::vector<Count> dims{};
  std::vector<Count> permutation{};
  friend bool operator==(const Transpose&, const Transpose&) = default;
};

/// Tensors of so many elements put together into one.
struct Concat {
  std::vector<Count> parts{};
  friend bool operator==(const Concat&, const Concat&) = default;
};

enum class RecurrentKind { lstm, gru, rnn };
/// One layer, one direction, over `steps` time steps.
struct Recurrent {
  RecurrentKind kind = RecurrentKind::lstm;
  Count batch = 1, input = 0, hidden = 0, steps = 1;
  friend bool operator==(const Recurrent&, const Recurrent&) = default;
};

/// Feed-forward experts; each token goes through top_k of them.
struct Moe {
  Count tokens = 0, hidden = 0, ffn = 0, experts = 0, top_k = 1;
  bool gated = true;  ///< three matrices an expert (gate, up, down), else two (up, down)
  std::vector<Count> tokens_per_expert{};  ///< empty: as expected of random routing
  friend bool operator==(const Moe&, const Moe&) = default;
};

/// From the op's data type to another, or back.
struct Quantize {
  Count elements = 0;
  DataType type = DataType::int8;  ///< the other one
  bool back = false;               ///< dequantize: from `type` to the op's
  friend bool operator==(const Quantize&, const Quantize&) = default;
};

enum class OptimizerKind { sgd, momentum, adam };
/// The update of `parameters` weights after a training step.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::adam;
  Count parameters = 0;
  friend bool operator==(const Optimizer&, const Optimizer&) = default;
};

enum class CollectiveKind { all_reduce, all_gather, reduce_scatter };
/// Between chips that all do the same ops, each on its own numbers: a tensor of `elements` becomes the
/// sum over the chips (all_reduce), is put together from a part of each (all_gather), or is summed and
/// dealt out in parts (reduce_scatter).
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Count elements = 0;  ///< of the whole tensor
  Count chips = 0;     ///< that take part; 0: all of the machine, once it is known (place_on_chips)
  friend bool operator==(const Collective&, const Collective&) = default;
};

using OpShape = std::variant<Gemm, Conv2d, Pool, Elementwise, Conv1d, Conv3d, Attention,
                             Normalization, Rotary, Reduce, Embedding, Transpose, Concat, Recurrent,
                             Moe, Quantize, Optimizer, Collective>;

}  // namespace tilewave
