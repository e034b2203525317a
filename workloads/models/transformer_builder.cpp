// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer_builder.hpp"

#include <utility>

#include "workloads/ops/count_math.hpp"

namespace tilewave {

Count Context::tokens() const { return product({batch, q_len}); }

TransformerBuilder::TransformerBuilder(std::string name, DataType dtype)
    : workload_{.name = std::move(name), .ops = {}}, dtype_(dtype) {}

Tokens TransformerBuilder::embed(const std::string& name, Count rows, Count table_rows,
                                 Count width) {
  add(name, Embedding{.rows = rows, .width = width, .table_rows = table_rows}, {"input"});
  return {name, rows, width};
}

Tokens TransformerBuilder::linear(const std::string& name, const Tokens& x, Count outputs,
                                  std::vector<Epilogue> epilogue,
                                  const std::optional<Tokens>& residual) {
  Gemm gemm{.m = x.rows, .n = outputs, .k = x.width, .transpose_b = true};
  gemm.epilogue = std::move(epilogue);
  std::vector<std::string> inputs{x.producer};
  if (residual) {
    gemm.epilogue.push_back(Epilogue::residual);
    inputs.push_back(residual->producer);
  }
  add(name, std::move(gemm), std::move(inputs));
  return {name, x.rows, outputs};
}

Tokens TransformerBuilder::last_linear(const std::string& name, const Tokens& x, Count sequences,
                                       Count outputs, std::vector<Epilogue> epilogue,
                                       const std::string& weights_of) {
  const Tokens last{x.producer, sequences, x.width};
  const Tokens result = linear(name, last, outputs, std::move(epilogue));
  Op& op = workload_.ops.back();
  op.partial_inputs = x.rows != sequences;
  op.weights_of = weights_of;
  return result;
}

Tokens TransformerBuilder::normalize(const std::string& name, NormalizationKind kind,
                                     const Tokens& x) {
  add(name, Normalization{.kind = kind, .rows = x.rows, .cols = x.width}, {x.producer});
  return {name, x.rows, x.width};
}

Tokens TransformerBuilder::rotate(const std::string& name, const Tokens& x, Count heads,
                                  Count dims) {
  Op& op = add(name, Rotary{.rows = product({x.rows, heads}), .cols = dims}, {x.producer});
  op.partial_inputs = product({heads, dims}) != x.width;
  return {name, x.rows, product({heads, dims})};
}

Tokens TransformerBuilder::combine(const std::string& name, ElementwiseKind kind, const Tokens& a,
                                   const Tokens& b) {
  add(name,
      Elementwise{.kind = kind,
                  .elements = product({a.rows, a.width}),
                  .operands = 2,
                  .second_elements = b.rows == a.rows ? 0 : product({b.rows, b.width})},
      {a.producer, b.producer});
  return {name, a.rows, a.width};
}

Tokens TransformerBuilder::attend(const std::string& name, const Attention& attention,
                                  const Tokens& q, const Tokens& k, const Tokens& v) {
  const bool cached = attention.kv_len > attention.q_len && attention.causal;
  std::vector<std::string> inputs{q.producer, cached ? "input" : k.producer};
  if (!attention.v_in_k) inputs.push_back(cached ? "input" : v.producer);
  add(name, attention, std::move(inputs));
  return {name, q.rows, product({attention.heads, attention.v_head_dim})};
}

Tokens TransformerBuilder::experts(const std::string& name, const Tokens& x, Moe moe) {
  moe.tokens = x.rows;
  moe.hidden = x.width;
  add(name, std::move(moe), {x.producer});
  return {name, x.rows, x.width};
}

Tokens TransformerBuilder::self_attention(const std::string& name, const Tokens& x,
                                          const Tokens& residual, const BlockShape& shape,
                                          const Context& context) {
  const std::vector<Epilogue> bias(shape.bias ? 1 : 0, Epilogue::bias);
  const Count kv_width = product({shape.kv_heads, shape.head_dim});
  Tokens q = linear(name + ".q", x, product({shape.heads, shape.head_dim}), bias);
  Tokens k = linear(name + ".k", x, kv_width, bias);
  const Tokens v = linear(name + ".v", x, kv_width, bias);
  if (shape.rotary) {
    q = rotate(name + ".rotary_q", q, shape.heads, shape.head_dim);
    k = rotate(name + ".rotary_k", k, shape.kv_heads, shape.head_dim);
  }
  const Tokens seen = attend(name,
                             {.batch = context.batch,
                              .heads = shape.heads,
                              .kv_heads = shape.kv_heads,
                              .q_len = context.q_len,
                              .kv_len = context.kv_len,
                              .head_dim = shape.head_dim,
                              .v_head_dim = shape.head_dim,
                              .causal = shape.causal},
                             q, k, v);
  return linear(name + ".out", seen, shape.width, bias, residual);
}

Tokens TransformerBuilder::feed_forward(const std::string& name, const Tokens& x,
                                        const Tokens& residual, const BlockShape& shape) {
  if (shape.experts > 0) {
    const Tokens scores = linear(name + ".router", x, shape.experts);
    normalize(name + ".routes", NormalizationKind::softmax, scores);
    const Tokens mixed = experts(
        name + ".experts", x,
        {.ffn = shape.ffn, .experts = shape.experts, .top_k = shape.top_k, .gated = shape.gated});
    return combine(name + ".sum", ElementwiseKind::residual, mixed, residual);
  }
  const std::vector<Epilogue> bias(shape.bias ? 1 : 0, Epilogue::bias);
  std::vector<Epilogue> activated = bias;
  activated.push_back(shape.activation);
  if (!shape.gated) {
    const Tokens inner = linear(name + ".up", x, shape.ffn, activated);
    return linear(name + ".down", inner, shape.width, bias, residual);
  }
  const Tokens gate = linear(name + ".gate", x, shape.ffn, activated);
  const Tokens up = linear(name + ".up", x, shape.ffn, bias);
  const Tokens inner = combine(name + ".gated", ElementwiseKind::mul, up, gate);
  return linear(name + ".down", inner, shape.width, bias, residual);
}

Tokens TransformerBuilder::block(const std::string& name, const Tokens& x, const BlockShape& shape,
                                 const Context& context) {
  const std::string attention = name + ".attention", ffn = name + ".ffn";
  const std::string norm1 = name + ".norm1", norm2 = name + ".norm2";
  if (!shape.norm_first) {
    Tokens y = self_attention(attention, x, x, shape, context);
    y = normalize(norm1, shape.norm, y);
    return normalize(norm2, shape.norm, feed_forward(ffn, y, y, shape));
  }
  const Tokens y = self_attention(attention, normalize(norm1, shape.norm, x), x, shape, context);
  return feed_forward(ffn, normalize(norm2, shape.norm, y), y, shape);
}

Op& TransformerBuilder::add(const std::string& name, OpShape shape,
                            std::vector<std::string> inputs) {
  workload_.ops.push_back(
      {.name = name, .dtype = dtype_, .shape = std::move(shape), .inputs = std::move(inputs)});
  return workload_.ops.back();
}

std::vector<ModelParameter> decoder_parameters() {
  return {batch_parameter(),
          seq_len_parameter(),
          {.name = "phase",
           .meaning = "the prompt's tokens at once, or one token more",
           .words = {"prefill", "decode"}},
          {.name = "kv_len",
           .meaning = "tokens of the context with those before; 0: seq_len",
           .default_count = 0,
           .range = {.min = 0, .max = kMaxSequence}},
          layers_parameter()};
}

Context decoder_context(const ModelParameters& parameters) {
  const Count seq_len = parameters.count("seq_len"), kv_len = parameters.count("kv_len");
  return {.batch = parameters.count("batch"),
          .q_len = parameters.word("phase") == "decode" ? 1 : seq_len,
          .kv_len = kv_len == 0 ? seq_len : kv_len};
}

}  // namespace tilewave
