// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/blocks.hpp"

namespace tilewave {

namespace {

void deal(program::Instruction& i, const DealtLoop& l) {
  i.region.spread(l.loop, l.iterations, l.dim);
  for (program::Size* size : {&i.m, &i.n, &i.k, &i.elements}) {
    for (Span& span : size->factors) span.begin.spread(l.loop, l.iterations, l.dim);
  }
  i.batch_index.spread(l.loop, l.iterations, l.dim);
}

}  // namespace

void deal_to_blocks(std::vector<program::Node>& body, const std::vector<DealtLoop>& loops) {
  for (program::Node& node : body) {
    if (auto* loop = std::get_if<program::Loop>(&node)) {
      deal_to_blocks(loop->body, loops);
    } else {
      for (const DealtLoop& l : loops) deal(std::get<program::Instruction>(node), l);
    }
  }
}

}  // namespace tilewave
