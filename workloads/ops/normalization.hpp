// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// A FLOP is one step on one element; exp, division and square root are one step each, and what is
/// done once a row is left out.
///
///   softmax    5 an element: compare for the maximum, subtract it, exp, add to the sum, scale
///   layernorm  7: add to the mean, subtract it, square, add to the variance, scale by 1 / deviation,
///              times gamma, plus beta
///   rmsnorm    4: square, add, scale, times gamma
///   batchnorm  2: times the channel's scale, plus its shift (inference: statistics are constants);
///              7 with batch_statistics, as layernorm
///
/// backward, from the gradient g of the output:
///   softmax    4: times the output, add to the row's sum, subtract that, times the output
///   layernorm, batchnorm  13: normalize again (2), add to gamma's (2) and beta's (1) gradient, times
///              gamma (1), add to the two sums (3), subtract their shares (3), scale (1)
///   rmsnorm    9: normalize again (1), gamma's gradient (2), times gamma (1), add to the sum (2),
///              subtract its share (2), scale (1)
///   inputs = g, then the input (softmax: the output); rows cols each
///
///   FLOPs = (the above) rows cols, input = output = rows cols
///   bias (scales and shifts): layernorm, batchnorm 2 cols; rmsnorm cols
[[nodiscard]] OpFacts count_facts(const Normalization& op);
[[nodiscard]] ShapeFaults find_faults(const Normalization& op);

[[nodiscard]] Normalization read_normalization(NormalizationKind kind, ObjectReader& reader);
void write_shape(const Normalization& op, Json& json);

[[nodiscard]] std::string_view to_string(NormalizationKind kind);
/// Sums (or maxima) over a row that later steps of the forward op wait for.
[[nodiscard]] Count row_reductions(const Normalization& v);
/// FLOPs an element.
[[nodiscard]] Count steps_per_element(const Normalization& op);

}  // namespace tilewave
