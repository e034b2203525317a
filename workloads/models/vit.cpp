// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/models/model.hpp"
#include "workloads/models/transformer_builder.hpp"
#include "workloads/ops/count_math.hpp"

namespace tilewave {
namespace {

constexpr Count kWidth = 768;
constexpr Count kPatches = 14 * 14;
constexpr Count kTokens = kPatches + 1;
constexpr Count kLayers = 12;

/// ViT-B/16 (A. Dosovitskiy et al., arXiv 2010.11929) as in torchvision: patches of 16 x 16 pixels
/// and a class token, whose result is classified.
Workload build(const ModelParameters& p) {
  const Count batch = p.count("batch");
  const Context context{.batch = batch, .q_len = kTokens, .kv_len = kTokens};
  const BlockShape shape{
      .width = kWidth, .heads = 12, .kv_heads = 12, .head_dim = 64, .ffn = 4 * kWidth};
  TransformerBuilder net("vit_b16", p.dtype);
  Conv2d patches{.n = batch, .c = 3, .h = 224, .w = 224, .k = kWidth, .r = 16, .s = 16};
  patches.stride = {16, 16};
  patches.epilogue = {Epilogue::bias};
  net.add("patches", patches, {"input"});
  const Tokens class_token = net.embed("class_token", batch, 1, kWidth);
  net.add("tokens", Concat{{product({batch, kWidth}), product({batch, kPatches, kWidth})}},
          {class_token.producer, "patches"});
  Tokens x{"tokens", context.tokens(), kWidth};
  const Tokens positions = net.embed("positions", kTokens, kTokens, kWidth);
  x = net.combine("embedding", ElementwiseKind::add, x, positions);
  for (Count i = 0; i < layer_count(p, kLayers); ++i) {
    x = net.block(fmt::format("layer{}", i), x, shape, context);
  }
  x = net.normalize("ln", shape.norm, x);
  net.last_linear("head", x, batch, 1000, {Epilogue::bias});
  return net.take();
}

}  // namespace

Model vit_b16() {
  return {"vit_b16", "ViT-B/16, 224 x 224 images", {batch_parameter(), layers_parameter()}, build};
}

}  // namespace tilewave
