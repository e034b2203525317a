// SPDX-License-Identifier: Apache-2.0
// Attention as products and passes. The query heads that share a head of K and V are rows of one
// product: a "group" is such a head of one sequence, with (heads / kv_heads) q_len rows.
//
// unfused: all scores (masked ones, too) go to memory, are normalised there and read again.
// flash:   the same for as many groups at a time as their scores fit on chip; where not even one
//          group's do, for some of its queries at a time, with the keys that these see. Nothing but
//          Q, K, V and the result moves, K and V once for each run of queries. Softmax and products
//          follow one another; they do not overlap. Of several cores each takes whole groups.
#include "workloads/ops/attention.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "workloads/mapping/parts/op_parts.hpp"

namespace tilewave {

namespace {

/// Lane operations of softmax on a score: the five of Normalization. The scale goes with Q, or with
/// the factor that turns the exponent's base into 2. Where scores stay on chip the first, the row's
/// maximum, is that of the pass that takes them out of the arrays.
constexpr Count kSoftmaxSteps = 5, kSoftmaxStepsOnChip = 4;

/// Each is three kernels.
constexpr Count kMostRuns = 4096;

class Blocks {
 public:
  Blocks(const Attention& a, const Op& op, const OpTensors& t)
      : a_(a),
        op_(op),
        q_(t.inputs[0].place),
        k_(t.inputs[1].place),
        v_(a.v_in_k ? k_ : t.inputs[2].place),
        out_(t.output),
        sharing_(a.heads / a.kv_heads),
        bits_(activation_bits(op.dtype)) {}

  [[nodiscard]] Count groups() const { return a_.batch * a_.kv_heads; }
  [[nodiscard]] Count rows(Count queries) const { return sharing_ * queries; }
  [[nodiscard]] Bytes score_bytes(Count groups, Count queries) const {
    return bytes(groups * rows(queries) * seen_keys(a_, 0, a_.q_len).count);
  }

  /// Groups [group, group + count), queries [query, query + queries), with scores in `scores`, which
  /// softmax overwrites (in `probabilities` if that is another tensor).
  void add(std::vector<Part>& parts, Count group, Count count, Count query, Count queries,
           const Placement& scores, const Placement& probabilities) const {
    const SeenKeys seen = seen_keys(a_, query, queries);
    if (seen.count == 0) return;
    const Count m = rows(queries);
    const Count v_pitch = a_.v_in_k ? a_.head_dim : a_.v_head_dim;
    const auto operand = [&](const Placement& whole, Count pitch) {
      const Bytes begin = bytes((group * a_.kv_len + seen.first) * pitch);
      return slice(whole, begin, bytes(((count - 1) * a_.kv_len + seen.count) * pitch));
    };
    Part qk = product(
        op_, "scores",
        {.m = m, .n = seen.count, .k = a_.head_dim, .batch = count, .transpose_b = true},
        rows_of(q_, a_.head_dim, group, count, query, queries), operand(k_, a_.head_dim), scores);
    std::get<MatrixPart>(qk.work).b_group_pitch = a_.kv_len * a_.head_dim;
    parts.push_back(std::move(qk));
    Part softmax = pass(
        "softmax", count * m, seen.count, scores.on_chip() ? kSoftmaxStepsOnChip : kSoftmaxSteps,
        {{.name = "scores", .place = scores, .bits_per_unit = seen.count * bits_}},
        {.name = "probabilities", .place = probabilities, .bits_per_unit = seen.count * bits_});
    std::get<StreamWork>(softmax.work).units_together = m;
    parts.push_back(std::move(softmax));
    Part pv = product(op_, "values",
                      {.m = m, .n = a_.v_head_dim, .k = seen.count, .batch = count, .ldb = v_pitch},
                      probabilities, operand(v_, v_pitch),
                      rows_of(out_, a_.v_head_dim, group, count, query, queries));
    std::get<MatrixPart>(pv.work).b_group_pitch = a_.kv_len * v_pitch;
    parts.push_back(std::move(pv));
  }

 private:
  [[nodiscard]] Bytes bytes(Count elements) const {
    return bytes_for(elements, static_cast<unsigned>(bits_));
  }
  /// Rows of Q or the result. Some queries of all the heads that share K and V are taken as if they
  /// followed one another: their rows are whole either way.
  [[nodiscard]] Placement rows_of(const Placement& whole, Count dim, Count group, Count count,
                                  Count query, Count queries) const {
    return slice(whole, bytes((group * rows(a_.q_len) + rows(query)) * dim),
                 bytes(count * rows(queries) * dim));
  }

  const Attention& a_;
  const Op& op_;
  Placement q_, k_, v_, out_;
  Count sharing_, bits_;
};

}  // namespace

std::vector<Part> attention_parts(const Attention& a, const Op& op, const OpTensors& tensors,
                                  Scratch& scratch) {
  const Blocks blocks(a, op, tensors);
  std::vector<Part> parts;
  const Bytes all = blocks.score_bytes(blocks.groups(), a.q_len);
  const bool flash = a.algorithm == Attention::Algorithm::flash;
  const auto through_memory = [&] {
    const Placement scores = scratch.in_memory(all), probabilities = scratch.in_memory(all);
    blocks.add(parts, 0, blocks.groups(), 0, a.q_len, scores, probabilities);
    return parts;
  };
  if (!flash || !scratch.fits(blocks.score_bytes(1, 1))) return through_memory();
  const Bytes one = blocks.score_bytes(1, a.q_len);
  if (scratch.fits(one)) {
    const bool all_fit = scratch.fits(ceil_div(blocks.groups(), scratch.cores()) * one);
    const Count at_once = all_fit ? blocks.groups() : scratch.free_bytes() / one * scratch.cores();
    if (ceil_div(blocks.groups(), at_once) > kMostRuns) return through_memory();
    const Placement scores = scratch.by_groups(at_once, one);
    for (Count g = 0; g < blocks.groups(); g += at_once) {
      blocks.add(parts, g, std::min(at_once, blocks.groups() - g), 0, a.q_len, scores, scores);
    }
    return parts;
  }
  const Count pieces = ceil_div(a.q_len, scratch.free_bytes() / blocks.score_bytes(1, 1));
  const Count at_once = std::min(scratch.cores(), blocks.groups());
  if (ceil_div(blocks.groups(), at_once) * pieces > kMostRuns) return through_memory();
  const Count queries = ceil_div(a.q_len, pieces);
  const Placement scores = scratch.by_groups(at_once, blocks.score_bytes(1, queries));
  for (Count g = 0; g < blocks.groups(); g += at_once) {
    for (Count q = 0; q < a.q_len; q += queries) {
      blocks.add(parts, g, std::min(at_once, blocks.groups() - g), q,
                 std::min(queries, a.q_len - q), scores, scores);
    }
  }
  return parts;
}

/// The gradients of Q, K and V; scores go to memory in either algorithm (flash makes them again
/// first). Inputs: Q, K, V, the output's gradient, then the output (flash) or the probabilities.
std::vector<Part> attention_backward_parts(const Attention& a, const Op& op,
                                           const OpTensors& tensors, Scratch& scratch) {
  const Count sharing = a.heads / a.kv_heads, groups = a.batch * a.kv_heads;
  const Count m = sharing * a.q_len;
  const Count bits = activation_bits(op.dtype);
  const auto bytes = [&](Count elements) { return bytes_for(elements, activation_bits(op.dtype)); };
  const auto input = [&](std::size_t i) { return tensors.inputs[i].place; };
  const Placement q = input(0), k = input(1), v = input(2), gradient = input(3), saved = input(4);
  const Count scores = groups * m * a.kv_len;
  std::vector<Part> parts;
  Placement probabilities = saved;
  if (a.algorithm == Attention::Algorithm::flash) {
    probabilities = scratch.in_memory(bytes(scores));
    parts.push_back(
        product(op, "scores again",
                {.m = m, .n = a.kv_len, .k = a.head_dim, .batch = groups, .transpose_b = true}, q,
                k, probabilities));
  }
  const Placement dp = scratch.in_memory(bytes(scores)), ds = scratch.in_memory(bytes(scores));
  // The result holds the gradients of Q, K and V one after another.
  const Bytes q_bytes = bytes(groups * m * a.head_dim);
  const Bytes k_bytes = bytes(groups * a.kv_len * a.head_dim);
  const Bytes v_bytes = bytes(groups * a.kv_len * a.v_head_dim);
  const Placement dv = slice(tensors.output, q_bytes + k_bytes, v_bytes);
  parts.push_back(
      product(op, "gradient of V",
              {.m = a.kv_len, .n = a.v_head_dim, .k = m, .batch = groups, .transpose_a = true},
              probabilities, gradient, dv));
  parts.push_back(
      product(op, "gradient of probabilities",
              {.m = m, .n = a.kv_len, .k = a.v_head_dim, .batch = groups, .transpose_b = true},
              gradient, v, dp));
  std::vector<StreamOperand> inputs{
      {.name = "probabilities", .place = probabilities, .bits_per_unit = a.kv_len * bits},
      {.name = "their gradient", .place = dp, .bits_per_unit = a.kv_len * bits}};
  if (a.algorithm == Attention::Algorithm::flash) {
    inputs.push_back({.name = "output", .place = saved, .bits_per_unit = a.v_head_dim * bits});
  }
  parts.push_back(pass("gradient of scores", groups * m, a.kv_len, kSoftmaxSteps, std::move(inputs),
                       {.name = "scores", .place = ds, .bits_per_unit = a.kv_len * bits}));
  parts.push_back(product(op, "gradient of Q",
                          {.m = m, .n = a.head_dim, .k = a.kv_len, .batch = groups}, ds, k,
                          slice(tensors.output, 0, q_bytes)));
  parts.push_back(
      product(op, "gradient of K",
              {.m = a.kv_len, .n = a.head_dim, .k = m, .batch = groups, .transpose_a = true}, ds, q,
              slice(tensors.output, q_bytes, k_bytes)));
  return parts;
}

}  // namespace tilewave
