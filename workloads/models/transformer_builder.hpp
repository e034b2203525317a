// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/models/model.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A result within a transformer: who produces it, tokens of all sequences together, elements a
/// token.
struct Tokens {
  std::string producer;  ///< op name, or "input"
  Count rows = 0, width = 0;
};

/// What is worked on in one pass: q_len new tokens of each sequence, kv_len with those before.
struct Context {
  Count batch = 1, q_len = 1, kv_len = 1;
  [[nodiscard]] Count tokens() const;
  /// Keys and values of earlier tokens come from a cache in memory.
  [[nodiscard]] bool cached() const { return kv_len > q_len; }
};

/// One block: attention, then a feed-forward part, each with a residual sum.
struct BlockShape {
  Count width = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0;
  NormalizationKind norm = NormalizationKind::layernorm;
  bool norm_first = true;  ///< before each part, else after its sum
  bool bias = true;
  bool causal = false;
  bool rotary = false;
  bool gated = false;  ///< down(activation(gate x) . (up x)), else down(activation(up x))
  Epilogue activation = Epilogue::gelu;
  Count experts = 0, top_k = 0;  ///< 0: one feed-forward part for all tokens
};

/// Writes a transformer down op by op. Biases, activations and residual sums are epilogues of the
/// product before them.
class TransformerBuilder {
 public:
  TransformerBuilder(std::string name, DataType dtype);

  /// A row of a table a token. `rows` 1 a sequence position: the same for all sequences.
  Tokens embed(const std::string& name, Count rows, Count table_rows, Count width);
  /// x W (+ bias, …): W is stored outputs x inputs. `residual` is added after the bias.
  Tokens linear(const std::string& name, const Tokens& x, Count outputs,
                std::vector<Epilogue> epilogue = {},
                const std::optional<Tokens>& residual = std::nullopt);
  /// The same of the last token of each sequence only, with the weights of `weights_of` if given.
  Tokens last_linear(const std::string& name, const Tokens& x, Count sequences, Count outputs,
                     std::vector<Epilogue> epilogue = {}, const std::string& weights_of = {});
  Tokens normalize(const std::string& name, NormalizationKind kind, const Tokens& x);
  /// Turns the last `dims` elements of each of `heads` heads.
  Tokens rotate(const std::string& name, const Tokens& x, Count heads, Count dims);
  /// Element by element; b may have fewer rows, each of which then serves all sequences.
  Tokens combine(const std::string& name, ElementwiseKind kind, const Tokens& a, const Tokens& b);
  /// k and v are not read where the attention has a cache: they were added to it.
  Tokens attend(const std::string& name, const Attention& attention, const Tokens& q,
                const Tokens& k, const Tokens& v);
  Tokens experts(const std::string& name, const Tokens& x, Moe moe);

  Tokens self_attention(const std::string& name, const Tokens& x, const Tokens& residual,
                        const BlockShape& shape, const Context& context);
  Tokens feed_forward(const std::string& name, const Tokens& x, const Tokens& residual,
                      const BlockShape& shape);
  /// Both, with the normalizations where the shape wants them.
  Tokens block(const std::string& name, const Tokens& x, const BlockShape& shape,
               const Context& context);

  /// Any other op.
  Op& add(const std::string& name, OpShape shape, std::vector<std::string> inputs);
  /// The op added last.
  [[nodiscard]] Op& last_op() { return workload_.ops.back(); }
  [[nodiscard]] Workload take() { return std::move(workload_); }

 private:
  Workload workload_;
  DataType dtype_;
};

/// "phase" prefill or decode, "kv_len": of networks that make one token after another.
[[nodiscard]] std::vector<ModelParameter> decoder_parameters();
/// Prefill: seq_len tokens, after kv_len - seq_len others if kv_len is given (a chunk of a longer
/// prompt). Decode: one token, with a context of kv_len, or seq_len.
[[nodiscard]] Context decoder_context(const ModelParameters& parameters);

}  // namespace tilewave
