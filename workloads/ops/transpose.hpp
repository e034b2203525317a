// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// Axis i of the result is axis permutation[i] of the input: a transpose, or NCHW to NHWC with
/// permutation [0, 2, 3, 1].
///
///   FLOPs = 0, input = output = product of dims
[[nodiscard]] OpFacts count_facts(const Transpose& op);
[[nodiscard]] ShapeFaults find_faults(const Transpose& op);

[[nodiscard]] Transpose read_transpose(ObjectReader& reader);
void write_shape(const Transpose& op, Json& json);

}  // namespace tilewave
