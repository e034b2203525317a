// SPDX-License-Identifier: Apache-2.0
#include "support/random_ops.hpp"

#include <algorithm>
#include <numeric>

namespace tilewave::test {

namespace {

Attention attention(RandomCases& c) {
  Attention a;
  a.batch = c.pick(1, 2);
  a.kv_heads = c.pick(1, 2);
  a.heads = a.kv_heads * c.pick(1, 3);
  a.q_len = c.pick(1, 9);
  a.kv_len = a.q_len + c.pick(0, 6);
  a.head_dim = c.pick(1, 8);
  a.v_head_dim = c.pick(0, 1) == 1 ? a.head_dim : c.pick(1, a.head_dim);
  a.causal = c.pick(0, 1) == 1;
  if (a.causal && c.pick(0, 2) == 0) a.window = c.pick(1, a.kv_len);
  a.algorithm = c.one_of({Attention::Algorithm::flash, Attention::Algorithm::unfused});
  a.v_in_k = c.pick(0, 3) == 0;
  return a;
}

Conv2d conv2d(RandomCases& c) {
  Conv2d v;
  v.n = c.pick(1, 2);
  v.groups = c.pick(1, 2);
  v.c = v.groups * c.pick(1, 3);
  v.k = v.groups * c.pick(1, 4);
  v.r = c.pick(1, 3), v.s = c.pick(1, 3);
  v.h = c.pick(4, 8), v.w = c.pick(4, 8);
  v.stride = {c.pick(1, 2), c.pick(1, 2)};
  return v;
}

Moe moe(RandomCases& c) {
  Moe m;
  m.tokens = c.pick(1, 8);
  m.hidden = c.pick(1, 9), m.ffn = c.pick(1, 9);
  m.experts = c.pick(1, 5);
  m.top_k = c.pick(1, std::min<Count>(2, m.experts));
  m.gated = c.pick(0, 1) == 1;
  if (c.pick(0, 1) == 0) return m;
  m.tokens_per_expert.assign(m.experts, 0);
  for (Count i = 0; i < m.tokens; ++i) {
    const Count first = c.pick(0, m.experts - 1);
    for (Count j = 0; j < m.top_k; ++j) ++m.tokens_per_expert[(first + j) % m.experts];
  }
  return m;
}

Transpose transpose(RandomCases& c) {
  Transpose t;
  const Count rank = c.pick(2, 4);
  for (Count i = 0; i < rank; ++i) t.dims.push_back(c.pick(1, 6));
  t.permutation.resize(rank);
  std::iota(t.permutation.begin(), t.permutation.end(), Count{0});
  for (Count i = rank; i-- > 1;) std::swap(t.permutation[i], t.permutation[c.pick(0, i)]);
  return t;
}

Normalization normalization(RandomCases& c) {
  using enum NormalizationKind;
  Normalization n{.kind = c.one_of({softmax, layernorm, rmsnorm, batchnorm}),
                  .rows = c.pick(1, 40),
                  .cols = c.pick(1, 60)};
  n.backward = c.pick(0, 2) == 0;
  return n;
}

Elementwise broadcast(RandomCases& c) {
  const Count second = c.pick(1, 8);
  return {.kind = ElementwiseKind::mul,
          .elements = second * c.pick(2, 200),
          .operands = 2,
          .second_elements = second};
}

}  // namespace

Op random_op(RandomCases& c, Count kind, const std::string& name) {
  Op op;
  op.name = name;
  const auto as = [&](OpShape shape) { op.shape = std::move(shape); };
  switch (kind) {
    case 0:
      return c.gemm(name);
    case 1: {
      op = c.gemm(name);
      op.functional = false;
      std::get<Gemm>(op.shape).b_is_activation = true;
      return op;
    }
    case 2:
      as(conv2d(c));
      break;
    case 3: {
      Conv2d v = conv2d(c);
      v.transposed = true;
      as(v);
      break;
    }
    case 4: {
      Conv2d v = conv2d(c);
      v.weight_gradient = true;
      as(v);
      break;
    }
    case 5:
      as(Conv1d{.n = c.pick(1, 2),
                .c = c.pick(1, 4),
                .w = c.pick(6, 20),
                .k = c.pick(1, 5),
                .s = c.pick(1, 3),
                .stride = c.pick(1, 2),
                .padding = {c.pick(0, 2), 0},
                .dilation = c.pick(1, 2)});
      break;
    case 6:
      as(Conv3d{.n = c.pick(1, 2),
                .c = c.pick(1, 3),
                .d = c.pick(3, 5),
                .h = c.pick(3, 6),
                .w = c.pick(3, 6),
                .k = c.pick(1, 4),
                .t = c.pick(1, 3),
                .r = c.pick(1, 3),
                .s = c.pick(1, 3),
                .stride = {c.pick(1, 2), 1, 1}});
      break;
    case 7:
    case 8:
      as(attention(c));
      break;
    case 9: {
      Attention a = attention(c);
      a.backward = true;
      a.v_in_k = false;
      as(a);
      break;
    }
    case 10:
      as(normalization(c));
      break;
    case 11:
      as(Rotary{.rows = c.pick(1, 40), .cols = 2 * c.pick(1, 20)});
      break;
    case 12:
      as(Reduce{.rows = c.pick(1, 40), .cols = c.pick(1, 60)});
      break;
    case 13:
      as(Embedding{.rows = c.pick(1, 20),
                   .width = c.pick(1, 30),
                   .table_rows = c.pick(1, 50),
                   .pooled = c.pick(1, 3)});
      break;
    case 14:
      as(transpose(c));
      break;
    case 15:
      as(Concat{.parts = {c.pick(1, 300), c.pick(1, 300), c.pick(1, 300)}});
      break;
    case 16: {
      using enum RecurrentKind;
      as(Recurrent{.kind = c.one_of({lstm, gru, rnn}),
                   .batch = c.pick(1, 4),
                   .input = c.pick(1, 9),
                   .hidden = c.pick(1, 9),
                   .steps = c.pick(1, 4)});
      break;
    }
    case 17:
      as(moe(c));
      break;
    case 18:
      as(Quantize{.elements = c.pick(1, 3000), .type = DataType::int16, .back = c.pick(0, 1) == 1});
      break;
    case 19: {
      using enum OptimizerKind;
      as(Optimizer{.kind = c.one_of({sgd, momentum, adam}), .parameters = c.pick(1, 2000)});
      break;
    }
    case 20:
      as(broadcast(c));
      break;
    default:
      as(Pool{.c = c.pick(1, 5),
              .h = c.pick(3, 11),
              .w = c.pick(3, 11),
              .r = c.pick(1, 3),
              .s = c.pick(1, 3),
              .backward = c.pick(0, 1) == 1});
  }
  return op;
}

}  // namespace tilewave::test
