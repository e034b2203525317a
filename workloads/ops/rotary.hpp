// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// Turns each pair of a vector's elements by an angle of its position (J. Su et al., arXiv
/// 2104.09864). Sines and cosines come from a table shared by all heads: too little to count.
///
///   FLOPs = 3 rows cols: four products, a sum and a difference a pair
///   input = output = rows cols
[[nodiscard]] OpFacts count_facts(const Rotary& op);
[[nodiscard]] ShapeFaults find_faults(const Rotary& op);

[[nodiscard]] Rotary read_rotary(ObjectReader& reader);
void write_shape(const Rotary& op, Json& json);

}  // namespace tilewave
