// SPDX-License-Identifier: Apache-2.0
// Mixture of experts. Experts with equally many tokens are the batch of one product; an expert
// without tokens is none.
#include "workloads/ops/moe.hpp"

#include <map>

#include "workloads/mapping/parts/op_parts.hpp"

namespace tilewave {

std::vector<Part> moe_parts(const Moe& moe, const Op& op, const OpTensors& tensors,
                            Scratch& scratch) {
  std::map<Count, Count> experts_with;  // tokens -> experts
  Count assignments = 0;
  for (const Count tokens : expert_tokens(moe)) {
    if (tokens == 0) continue;
    ++experts_with[tokens];
    assignments += tokens;
  }
  if (assignments == 0) return {};
  const unsigned bits = activation_bits(op.dtype);
  const auto bytes = [&](Count elements) { return bytes_for(elements, bits); };
  const Count up_width = moe.ffn * (moe.gated ? 2 : 1);

  // The tokens of each expert, put together.
  const Placement sorted = scratch.anywhere(bytes(assignments * moe.hidden));
  const Bytes token_bytes = bytes(moe.hidden);
  std::vector<Part> parts;
  parts.push_back(pass(
      "dispatch", assignments, moe.hidden, 1,
      {{.name = "tokens",
        .place = tensors.inputs[0].place,
        .bits_per_unit = moe.hidden * bits,
        .shape = [=, tokens = moe.tokens](Count chunk, Count units) -> program::Region::Shape {
          return program::GatheredRows{
              .rows = Span::tile(0, chunk, units), .table_rows = tokens, .row_bytes = token_bytes};
        }}},
      {.name = "sorted", .place = sorted, .bits_per_unit = moe.hidden * bits}));
  const Placement results = scratch.anywhere(bytes(assignments * moe.hidden));
  Count first = 0;
  int weights = 0;
  for (const auto& [tokens, experts] : experts_with) {
    const Count rows = tokens * experts;
    const Placement in = slice(sorted, bytes(first * moe.hidden), bytes(rows * moe.hidden));
    const Placement out = slice(results, bytes(first * moe.hidden), bytes(rows * moe.hidden));
    first += rows;
    const Placement wide = scratch.anywhere(bytes(rows * up_width));
    const Placement narrow = scratch.anywhere(bytes(rows * moe.ffn));
    parts.push_back(weight_product(op, moe.gated ? "gate and up" : "up",
                                   {.m = tokens, .n = up_width, .k = moe.hidden, .batch = experts},
                                   in, weights++, wide));
    parts.push_back(pass("activation", rows, moe.ffn, moe.gated ? 2 : 1,
                         {{.name = "input", .place = wide, .bits_per_unit = up_width * bits}},
                         {.name = "output", .place = narrow, .bits_per_unit = moe.ffn * bits}));
    parts.push_back(weight_product(op, "down",
                                   {.m = tokens, .n = moe.hidden, .k = moe.ffn, .batch = experts},
                                   narrow, weights++, out));
  }
  parts.push_back(
      pass("combine", moe.tokens, moe.hidden, 2 * moe.top_k,
           {{.name = "results",
             .place = results,
             .bits_per_unit = ceil_div(assignments, moe.tokens) * moe.hidden * bits,
             .most_bytes = {}}},
           {.name = "output", .place = tensors.output, .bits_per_unit = moe.hidden * bits}));
  return parts;
}

}  // namespace tilewave
