// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// out[row] = sum, mean or largest of the row.
///
///   FLOPs = rows cols: a step an element; the first one's saved step stands for the mean's division
///   input = rows cols, output = rows
[[nodiscard]] OpFacts count_facts(const Reduce& op);
[[nodiscard]] ShapeFaults find_faults(const Reduce& op);

[[nodiscard]] Reduce read_reduce(ObjectReader& reader);
void write_shape(const Reduce& op, Json& json);

[[nodiscard]] std::string_view to_string(ReduceKind kind);

}  // namespace tilewave
