// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/transformer_builder.hpp"
#include "workloads/ops/count_math.hpp"

/// DeepSeek-V3 (arXiv 2412.19437, section 4.2, without the module that predicts a second token):
/// multi-head latent attention, and 8 of 256 experts beside one that all tokens take, in all but the
/// first three layers. Logits are made of each sequence's last token.
namespace tilewave {
namespace {

constexpr Count kWidth = 7168;
constexpr Count kHeads = 128;
constexpr Count kQueryLatent = 1536;
constexpr Count kLatent = 512;  ///< of keys and values: what the cache holds, with kRotary
constexpr Count kPlain = 128;   ///< of a head's query and key without position
constexpr Count kRotary = 64;   ///< with position; the key's is shared by all heads
constexpr Count kValue = 128;
constexpr Count kDenseFfn = 18'432;
constexpr Count kExpertFfn = 2048;
constexpr Count kExperts = 256;
constexpr Count kTopK = 8;
constexpr Count kDenseLayers = 3;
constexpr Count kLayers = 61;
constexpr Count kVocabulary = 129'280;

constexpr auto kNorm = NormalizationKind::rmsnorm;

/// A product with a matrix of its own for each head: x is tokens x heads x inputs.
Tokens per_head(TransformerBuilder& net, const std::string& name, const Tokens& x, Count inputs,
                Count outputs) {
  net.add(name, Gemm{.m = x.rows, .n = outputs, .k = inputs, .batch = kHeads}, {x.producer});
  net.last_op().partial_inputs = x.width != kHeads * inputs;
  return {name, x.rows, kHeads * outputs};
}

/// Attention over the cached latent vectors themselves (arXiv 2405.04434, section 2.1.2): the
/// matrices that would make keys and values of them are applied to the query and the result.
Tokens latent_attention(TransformerBuilder& net, const std::string& name, const Tokens& q,
                        const Context& context) {
  const Tokens turned = net.rotate(name + ".rotary_q", q, kHeads, kRotary);
  const Tokens absorbed = per_head(net, name + ".k_up", q, kPlain, kLatent);
  net.add(name + ".q_latent",
          Concat{{product({q.rows, absorbed.width}), product({q.rows, turned.width})}},
          {absorbed.producer, turned.producer});
  const Tokens query{name + ".q_latent", q.rows, kHeads * (kLatent + kRotary)};
  const Tokens cache{"input", 0, kLatent + kRotary};
  const Tokens seen = net.attend(name,
                                 {.batch = context.batch,
                                  .heads = kHeads,
                                  .kv_heads = 1,
                                  .q_len = context.q_len,
                                  .kv_len = context.kv_len,
                                  .head_dim = kLatent + kRotary,
                                  .v_head_dim = kLatent,
                                  .causal = true,
                                  .v_in_k = true},
                                 query, cache, cache);
  return per_head(net, name + ".v_up", seen, kLatent, kValue);
}

/// Attention over keys and values made of the latent vectors.
Tokens plain_attention(TransformerBuilder& net, const std::string& name, const Tokens& q,
                       const Tokens& latent, const Tokens& key_position, const Context& context) {
  const Tokens turned = net.rotate(name + ".rotary_q", q, kHeads, kRotary);
  const Tokens kv = net.linear(name + ".kv_up", latent, kHeads * (kPlain + kValue));
  const auto joined = [&](const std::string& part, const Tokens& plain, const Tokens& position) {
    // Plain parts of all heads beside the parts with position; a shared one is repeated.
    const Count rows = plain.rows;
    net.add(name + part, Concat{{product({rows, kHeads, kPlain}), product({rows, position.width})}},
            {plain.producer, position.producer});
    net.last_op().partial_inputs = true;
    return name + part;
  };
  const Tokens query{joined(".q_heads", q, turned), q.rows, kHeads * (kPlain + kRotary)};
  Tokens repeated{name + ".k_position", q.rows, kHeads * kRotary};
  net.add(repeated.producer, Concat{std::vector<Count>(kHeads, product({q.rows, kRotary}))},
          std::vector<std::string>(kHeads, key_position.producer));
  const Tokens key{joined(".k_heads", kv, repeated), q.rows, kHeads * (kPlain + kRotary)};
  const Tokens seen = net.attend(name,
                                 {.batch = context.batch,
                                  .heads = kHeads,
                                  .kv_heads = kHeads,
                                  .q_len = context.q_len,
                                  .kv_len = context.kv_len,
                                  .head_dim = kPlain + kRotary,
                                  .v_head_dim = kValue,
                                  .causal = true},
                                 query, key, kv);
  net.last_op().partial_inputs = true;  // values are half of what kv_up makes
  return seen;
}

Tokens attention(TransformerBuilder& net, const std::string& name, const Tokens& x,
                 const Tokens& residual, const Context& context) {
  Tokens q = net.linear(name + ".q_down", x, kQueryLatent);
  q = net.normalize(name + ".q_norm", kNorm, q);
  q = net.linear(name + ".q_up", q, kHeads * (kPlain + kRotary));
  const Tokens kv = net.linear(name + ".kv_down", x, kLatent + kRotary);
  const Tokens key_position = net.rotate(name + ".rotary_k", kv, 1, kRotary);
  const Tokens latent = net.normalize(name + ".kv_norm", kNorm, {kv.producer, kv.rows, kLatent});
  net.last_op().partial_inputs = true;
  const Tokens seen = context.cached()
                          ? latent_attention(net, name, q, context)
                          : plain_attention(net, name, q, latent, key_position, context);
  return net.linear(name + ".out", seen, kWidth, {}, residual);
}

/// The routed experts, and the one of the same size that all tokens take.
Tokens mixture(TransformerBuilder& net, const std::string& name, const Tokens& x,
               const Tokens& residual, const BlockShape& shared) {
  net.linear(name + ".router", x, kExperts, {Epilogue::sigmoid});
  const Tokens routed =
      net.experts(name + ".experts", x, {.ffn = kExpertFfn, .experts = kExperts, .top_k = kTopK});
  const Tokens sum = net.combine(name + ".sum", ElementwiseKind::residual, routed, residual);
  return net.feed_forward(name + ".shared", x, sum, shared);
}

Workload build(const ModelParameters& p) {
  const Context context = decoder_context(p);
  BlockShape dense{.width = kWidth,
                   .ffn = kDenseFfn,
                   .norm = kNorm,
                   .bias = false,
                   .gated = true,
                   .activation = Epilogue::silu};
  BlockShape shared = dense;
  shared.ffn = kExpertFfn;
  TransformerBuilder net("deepseek_v3", p.dtype);
  Tokens x = net.embed("embedding", context.tokens(), kVocabulary, kWidth);
  for (Count i = 0; i < layer_count(p, kLayers); ++i) {
    const std::string name = fmt::format("layer{}", i);
    x = attention(net, name + ".attention", net.normalize(name + ".norm1", kNorm, x), x, context);
    const Tokens normed = net.normalize(name + ".norm2", kNorm, x);
    x = i < kDenseLayers ? net.feed_forward(name + ".ffn", normed, x, dense)
                         : mixture(net, name + ".ffn", normed, x, shared);
  }
  x = net.normalize("norm", kNorm, x);
  net.last_linear("lm_head", x, context.batch, kVocabulary);
  return net.take();
}

}  // namespace

Model deepseek_v3() {
  return {"deepseek_v3", "DeepSeek-V3, 671 G, 8 of 256 experts a token", decoder_parameters(),
          build};
}

}  // namespace tilewave
