// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// Between the op's data type and another: quantize makes `to` of it, dequantize the op's of `from`.
///
///   FLOPs = 2 elements: quantize scales and rounds, dequantize subtracts the zero point and scales
///   input = output = elements, each side with the bits of its own type
[[nodiscard]] OpFacts count_facts(const Quantize& op);
[[nodiscard]] ShapeFaults find_faults(const Quantize& op);

[[nodiscard]] Quantize read_quantize(bool back, ObjectReader& reader);
void write_shape(const Quantize& op, Json& json);

}  // namespace tilewave
