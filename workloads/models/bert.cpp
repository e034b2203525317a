// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/training.hpp"
#include "workloads/models/transformer_builder.hpp"

/// BERT (J. Devlin et al., arXiv 1810.04805): the encoder with its pooler, without a task's head.
namespace tilewave {
namespace {

constexpr Count kVocabulary = 30'522;
constexpr Count kPositions = 512;  ///< a longer sequence gets a longer table
constexpr Count kSegments = 2;

Workload build(const std::string& name, const BlockShape& shape, Count layers,
               const ModelParameters& p) {
  const Count batch = p.count("batch"), seq_len = p.count("seq_len");
  const Context context{.batch = batch, .q_len = seq_len, .kv_len = seq_len};
  TransformerBuilder net(name, p.dtype);
  Tokens x = net.embed("embedding.words", context.tokens(), kVocabulary, shape.width);
  const Tokens segments = net.embed("embedding.segments", context.tokens(), kSegments, shape.width);
  const Tokens positions =
      net.embed("embedding.positions", seq_len, std::max(kPositions, seq_len), shape.width);
  x = net.combine("embedding.add_segments", ElementwiseKind::add, x, segments);
  x = net.combine("embedding.add_positions", ElementwiseKind::add, x, positions);
  x = net.normalize("embedding.norm", shape.norm, x);
  for (Count i = 0; i < layer_count(p, layers); ++i) {
    x = net.block(fmt::format("layer{}", i), x, shape, context);
  }
  net.last_linear("pooler", x, batch, shape.width, {Epilogue::bias, Epilogue::tanh});
  return is_training(p) ? training_step(net.take(), OptimizerKind::adam) : net.take();
}

/// Heads of 64, four times the width between, normalized after each sum.
BlockShape shape_of(Count width) {
  return {.width = width,
          .heads = width / 64,
          .kv_heads = width / 64,
          .head_dim = 64,
          .ffn = 4 * width,
          .norm_first = false};
}

Workload build_base(const ModelParameters& p) { return build("bert_base", shape_of(768), 12, p); }
Workload build_large(const ModelParameters& p) {
  return build("bert_large", shape_of(1024), 24, p);
}

std::vector<ModelParameter> parameters() {
  return {batch_parameter(), seq_len_parameter(), training_parameter(), layers_parameter()};
}

}  // namespace

Model bert_base() { return {"bert_base", "BERT-base with pooler", parameters(), build_base}; }

Model bert_large() { return {"bert_large", "BERT-large with pooler", parameters(), build_large}; }

}  // namespace tilewave
