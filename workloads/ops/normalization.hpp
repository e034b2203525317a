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
///   batchnorm  2: times the channel's scale, plus its shift (inference: statistics are constants)
///
///   FLOPs = (the above) rows cols, input = output = rows cols
///   bias (scales and shifts): layernorm, batchnorm 2 cols; rmsnorm cols
[[nodiscard]] OpFacts count_facts(const Normalization& op);
[[nodiscard]] ShapeFaults find_faults(const Normalization& op);

[[nodiscard]] Normalization read_normalization(NormalizationKind kind, ObjectReader& reader);
void write_shape(const Normalization& op, Json& json);

[[nodiscard]] std::string_view to_string(NormalizationKind kind);
/// FLOPs an element.
[[nodiscard]] Count steps_per_element(NormalizationKind kind);

}  // namespace tilewave
