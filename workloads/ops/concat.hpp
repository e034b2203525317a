// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// As many inputs as parts, put together into one tensor. Where the parts lie in the result (which
/// axis) changes addresses, no count.
///
///   FLOPs = 0, inputs = parts, output = sum of parts
[[nodiscard]] OpFacts count_facts(const Concat& op);
[[nodiscard]] ShapeFaults find_faults(const Concat& op);

[[nodiscard]] Concat read_concat(ObjectReader& reader);
void write_shape(const Concat& op, Json& json);

}  // namespace tilewave
