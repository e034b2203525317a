// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/transformer_builder.hpp"
#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Count kVocabulary = 32'128;
constexpr Count kLayers = 12;

/// The encoder's keys and values, which the decoder's tokens look at. While decoding they are in a
/// cache, made when the prompt was read.
Tokens cross_attention(TransformerBuilder& net, const std::string& name, const Tokens& x,
                       const Tokens& residual, const std::optional<Tokens>& encoded,
                       const BlockShape& shape, const Context& context) {
  const Count width = product({shape.heads, shape.head_dim});
  const Tokens q = net.linear(name + ".q", x, width);
  Tokens k{"input", 0, width}, v{"input", 0, width};
  if (encoded) {
    k = net.linear(name + ".k", *encoded, width);
    v = net.linear(name + ".v", *encoded, width);
  }
  const Tokens seen = net.attend(name,
                                 {.batch = context.batch,
                                  .heads = shape.heads,
                                  .kv_heads = shape.kv_heads,
                                  .q_len = context.q_len,
                                  .kv_len = context.kv_len,
                                  .head_dim = shape.head_dim,
                                  .v_head_dim = shape.head_dim},
                                 q, k, v);
  return net.linear(name + ".out", seen, shape.width, {}, residual);
}

/// T5-base (C. Raffel et al., arXiv 1910.10683). Prefill reads seq_len tokens in the encoder and as
/// many in the decoder; decode is one step of the decoder alone, with as many tokens before it as
/// the encoder had. The biases for relative positions (768 parameters) are left out.
Workload build(const ModelParameters& p) {
  const Context context = decoder_context(p);
  const bool decode = p.word("phase") == "decode";
  BlockShape shape{.width = 768,
                   .heads = 12,
                   .kv_heads = 12,
                   .head_dim = 64,
                   .ffn = 3072,
                   .norm = NormalizationKind::rmsnorm,
                   .bias = false,
                   .activation = Epilogue::relu};
  const Count layers = layer_count(p, kLayers);
  TransformerBuilder net("t5_base", p.dtype);
  std::optional<Tokens> encoded;
  if (!decode) {
    const Context prompt{.batch = context.batch, .q_len = context.q_len, .kv_len = context.q_len};
    Tokens x = net.embed("encoder.embedding", prompt.tokens(), kVocabulary, shape.width);
    for (Count i = 0; i < layers; ++i) {
      x = net.block(fmt::format("encoder{}", i), x, shape, prompt);
    }
    encoded = net.normalize("encoder.norm", shape.norm, x);
  }
  shape.causal = true;
  Tokens x = net.embed("decoder.embedding", context.tokens(), kVocabulary, shape.width);
  if (!decode) net.last_op().weights_of = "encoder.embedding";
  const Context cross{.batch = context.batch,
                      .q_len = context.q_len,
                      .kv_len = decode ? context.kv_len : context.q_len};
  for (Count i = 0; i < layers; ++i) {
    const std::string name = fmt::format("decoder{}", i);
    Tokens normed = net.normalize(name + ".norm1", shape.norm, x);
    x = net.self_attention(name + ".attention", normed, x, shape, context);
    normed = net.normalize(name + ".norm2", shape.norm, x);
    x = cross_attention(net, name + ".cross", normed, x, encoded, shape, cross);
    normed = net.normalize(name + ".norm3", shape.norm, x);
    x = net.feed_forward(name + ".ffn", normed, x, shape);
  }
  x = net.normalize("decoder.norm", shape.norm, x);
  net.last_linear("lm_head", x, context.batch, kVocabulary, {}, "decoder.embedding");
  return net.take();
}

}  // namespace

Model t5_base() { return {"t5_base", "T5-base, encoder and decoder", decoder_parameters(), build}; }

}  // namespace tilewave
