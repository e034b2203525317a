// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// The update of weights by their gradient, one element a parameter. Weights are kept in fp32 (the
/// master copy), with one more fp32 number for momentum and two for Adam, and written once more in
/// the op's data type for the next forward pass (mixed-precision training, P. Micikevicius et al.,
/// arXiv 1710.03740).
///
///   FLOPs    = parameters times: sgd 2 (w -= r g), momentum 4 (v = m v + g; w -= r v), adam 12
///              (two running means of 3 each, the square 1, root, epsilon, division, rate, w -= )
///   inputs   = gradient: parameters; state: parameters records of 32 (1, 2 or 3) bits
///   output   = parameters records: the state, and the weight in the op's data type
/// The weights are state here: they are no parameters of this op.
[[nodiscard]] OpFacts count_facts(const Optimizer& op);
[[nodiscard]] ShapeFaults find_faults(const Optimizer& op);

[[nodiscard]] Optimizer read_optimizer(ObjectReader& reader);
void write_shape(const Optimizer& op, Json& json);

[[nodiscard]] std::string_view to_string(OptimizerKind kind);

}  // namespace tilewave
