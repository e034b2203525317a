// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// softmax(Q K^T / sqrt(head_dim)) V, grouped-query (kv_heads < heads) and multi-query (kv_heads 1)
/// included.
///
/// Query i of q_len stands at position p = kv_len - q_len + i. It sees positions
///   up to p if causal, else to the end, and with a window w from p - w + 1 on (not causal: also only
///   up to p + w - 1).
/// pairs = sum over i of the positions query i sees, in closed form: causal without a window
///   q_len (kv_len - q_len) + q_len (q_len + 1) / 2
///
///   MACs   = batch heads pairs (head_dim + v_head_dim): only what the mask leaves
///   FLOPs  = 2 MACs + 6 batch heads pairs: the scale, and a softmax (see Normalization)
///   inputs = Q: batch heads q_len head_dim; K: batch kv_heads kv_len head_dim; V: batch kv_heads
///            kv_len v_head_dim. Of K and V, positions that no query sees are not read. With v_in_k
///            there is no V: values are the first elements of the keys (the latent vectors of
///            DeepSeek's attention, arXiv 2405.04434)
///   output = batch heads q_len v_head_dim
///   intermediate = 0 for flash. Unfused: 2 batch heads q_len kv_len, scores and probabilities, each
///            written once and read once; a matrix in memory has room for masked pairs, too
/// Flash moves Q, K, V and the output and nothing else (T. Dao et al., arXiv 2205.14135, with the
/// keys and values of a head read once).
///
/// backward: the gradients of Q, K and V.
///   MACs   = unfused: batch heads pairs 2 (head_dim + v_head_dim), four products; flash: a fifth,
///            the scores again: batch heads pairs (3 head_dim + 2 v_head_dim)
///   FLOPs  = 2 MACs + 6 (flash: scale, two for the probability, two for the gradient of the score,
///            scale) or 5 (unfused: two for the row's sum, two for the score, scale) a pair
///   inputs = Q, K, V, the output's gradient, then the output (flash) or the probabilities (unfused:
///            batch heads q_len kv_len)
///   output = as many as Q, K and V together
///   intermediate (unfused) = 2 batch heads q_len kv_len: the gradients of probabilities and scores
[[nodiscard]] OpFacts count_facts(const Attention& attention);
[[nodiscard]] ShapeFaults find_faults(const Attention& attention);

[[nodiscard]] Attention read_attention(ObjectReader& reader);
void write_shape(const Attention& attention, Json& json);

/// Positions that a run of queries sees: all of [first, first + count) is seen by some query.
struct SeenKeys {
  Count first = 0, count = 0;
};
/// Of queries first_query to first_query + queries - 1; one sequence, one head.
[[nodiscard]] SeenKeys seen_keys(const Attention& attention, Count first_query, Count queries);
[[nodiscard]] Count attention_pairs(const Attention& attention, Count first_query, Count queries);

[[nodiscard]] std::string_view to_string(Attention::Algorithm algorithm);

}  // namespace tilewave
