// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// Routed feed-forward experts. Each of `tokens` goes through top_k of `experts`; an expert is
/// down(act(up x)), or gated: down(act(gate x) . (up x)). The router itself is a gemm (and a softmax)
/// before this op, experts that all tokens take are gemms beside it.
///
///   assignments = tokens top_k, matrices = 3 if gated, else 2
///   MACs    = assignments matrices hidden ffn
///   FLOPs   = 2 MACs + assignments ((gated ? 2 : 1) ffn + 2 hidden): the activation, the gate's
///             product, and the weighted sum of the experts' results
///   input   = output = tokens hidden
///   weights = experts matrices hidden ffn; read are those of the experts that have tokens, once
/// Without tokens_per_expert, routing is random: of `experts`, E (1 - (1 - k / E)^tokens) are
/// expected to have tokens (rounded to the nearest whole number, at least k, at most the
/// assignments), and these have equal shares. An expert without tokens is no work.
[[nodiscard]] OpFacts count_facts(const Moe& moe);
[[nodiscard]] ShapeFaults find_faults(const Moe& moe);

[[nodiscard]] Moe read_moe(ObjectReader& reader);
void write_shape(const Moe& moe, Json& json);

/// Tokens of each expert: as given, or equal shares over the experts expected to have some.
[[nodiscard]] std::vector<Count> expert_tokens(const Moe& moe);
/// Experts that have tokens.
[[nodiscard]] Count active_experts(const Moe& moe);

}  // namespace tilewave
