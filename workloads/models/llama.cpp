// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/transformer_builder.hpp"

/// Llama 2 (H. Touvron et al., arXiv 2307.09288), Llama 3 (A. Dubey et al., arXiv 2407.21783, table
/// 3) and Mixtral 8x7B (A. Jiang et al., arXiv 2401.04088, table 1; its window of 4096 of the first
/// Mistral is not used). Heads of 128, rotary positions, gated SiLU, no biases. Logits are made of
/// each sequence's last token.
namespace tilewave {
namespace {

struct Size {
  Count width, heads, kv_heads, ffn, layers, vocabulary;
  Count experts = 0, top_k = 0;
};

Workload build(const std::string& name, const Size& size, const ModelParameters& p) {
  const Context context = decoder_context(p);
  const BlockShape shape{.width = size.width,
                         .heads = size.heads,
                         .kv_heads = size.kv_heads,
                         .head_dim = 128,
                         .ffn = size.ffn,
                         .norm = NormalizationKind::rmsnorm,
                         .bias = false,
                         .causal = true,
                         .rotary = true,
                         .gated = true,
                         .activation = Epilogue::silu,
                         .experts = size.experts,
                         .top_k = size.top_k};
  TransformerBuilder net(name, p.dtype);
  Tokens x = net.embed("embedding", context.tokens(), size.vocabulary, size.width);
  for (Count i = 0; i < layer_count(p, size.layers); ++i) {
    x = net.block(fmt::format("layer{}", i), x, shape, context);
  }
  x = net.normalize("norm", shape.norm, x);
  net.last_linear("lm_head", x, context.batch, size.vocabulary);
  return net.take();
}

Workload build_2_7b(const ModelParameters& p) {
  return build("llama2_7b", {4096, 32, 32, 11'008, 32, 32'000}, p);
}
Workload build_2_13b(const ModelParameters& p) {
  return build("llama2_13b", {5120, 40, 40, 13'824, 40, 32'000}, p);
}
Workload build_2_70b(const ModelParameters& p) {
  return build("llama2_70b", {8192, 64, 8, 28'672, 80, 32'000}, p);
}
Workload build_3_8b(const ModelParameters& p) {
  return build("llama3_8b", {4096, 32, 8, 14'336, 32, 128'256}, p);
}
Workload build_3_70b(const ModelParameters& p) {
  return build("llama3_70b", {8192, 64, 8, 28'672, 80, 128'256}, p);
}
Workload build_mixtral(const ModelParameters& p) {
  return build("mixtral_8x7b", {4096, 32, 8, 14'336, 32, 32'000, 8, 2}, p);
}

}  // namespace

Model llama2_7b() { return {"llama2_7b", "Llama 2 7B", decoder_parameters(), build_2_7b}; }
Model llama2_13b() { return {"llama2_13b", "Llama 2 13B", decoder_parameters(), build_2_13b}; }
Model llama2_70b() { return {"llama2_70b", "Llama 2 70B", decoder_parameters(), build_2_70b}; }
Model llama3_8b() { return {"llama3_8b", "Llama 3 8B", decoder_parameters(), build_3_8b}; }
Model llama3_70b() { return {"llama3_70b", "Llama 3 70B", decoder_parameters(), build_3_70b}; }
Model mixtral_8x7b() {
  return {"mixtral_8x7b", "Mixtral 8x7B, 2 of 8 experts a token", decoder_parameters(),
          build_mixtral};
}

}  // namespace tilewave
