// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/transformer_builder.hpp"

/// GPT-2 (A. Radford et al., "Language Models are Unsupervised Multitask Learners", table 2; sizes of
/// the released weights) and GPT-3 (T. Brown et al., arXiv 2005.14165, table 2.1; its layers that see
/// a band only are taken as dense). The output layer has the embedding's weights; logits are made of
/// each sequence's last token.
namespace tilewave {
namespace {

constexpr Count kVocabulary = 50'257;

Workload build(const std::string& name, Count width, Count heads, Count layers, Count positions,
               const ModelParameters& p) {
  const Context context = decoder_context(p);
  const BlockShape shape{.width = width,
                         .heads = heads,
                         .kv_heads = heads,
                         .head_dim = width / heads,
                         .ffn = 4 * width,
                         .causal = true};
  TransformerBuilder net(name, p.dtype);
  Tokens x = net.embed("wte", context.tokens(), kVocabulary, width);
  // A longer context gets a longer table.
  const Tokens position =
      net.embed("wpe", context.q_len, std::max(positions, context.kv_len), width);
  x = net.combine("embedding", ElementwiseKind::add, x, position);
  for (Count i = 0; i < layer_count(p, layers); ++i) {
    x = net.block(fmt::format("h{}", i), x, shape, context);
  }
  x = net.normalize("ln_f", shape.norm, x);
  net.last_linear("lm_head", x, context.batch, kVocabulary, {}, "wte");
  return net.take();
}

Workload build_small(const ModelParameters& p) { return build("gpt2", 768, 12, 12, 1024, p); }
Workload build_medium(const ModelParameters& p) {
  return build("gpt2_medium", 1024, 16, 24, 1024, p);
}
Workload build_large(const ModelParameters& p) {
  return build("gpt2_large", 1280, 20, 36, 1024, p);
}
Workload build_xl(const ModelParameters& p) { return build("gpt2_xl", 1600, 25, 48, 1024, p); }
Workload build_175b(const ModelParameters& p) {
  return build("gpt3_175b", 12'288, 96, 96, 2048, p);
}

}  // namespace

Model gpt2() { return {"gpt2", "GPT-2 small, 124 M", decoder_parameters(), build_small}; }
Model gpt2_medium() {
  return {"gpt2_medium", "GPT-2 medium, 355 M", decoder_parameters(), build_medium};
}
Model gpt2_large() {
  return {"gpt2_large", "GPT-2 large, 774 M", decoder_parameters(), build_large};
}
Model gpt2_xl() { return {"gpt2_xl", "GPT-2 XL, 1.56 G", decoder_parameters(), build_xl}; }
Model gpt3_175b() { return {"gpt3_175b", "GPT-3, 175 G", decoder_parameters(), build_175b}; }

}  // namespace tilewave
