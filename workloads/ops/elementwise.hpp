// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// out[i] = f(a[i]) or f(a[i], b[i]), i < elements.
///
///   FLOPs  = elements; 0 for copy and cast, which do no arithmetic
///   input  = elements
///   second input = elements with 2 operands, or second_elements if given: then each of them serves
///            elements / second_elements results, as the gate of a squeeze-excite block does. With 1
///            operand none (a scalar, or a vector such as a bias, is too small to count)
///   output = elements
[[nodiscard]] OpFacts count_facts(const Elementwise& op);
[[nodiscard]] ShapeFaults find_faults(const Elementwise& op);

[[nodiscard]] Elementwise read_elementwise(ObjectReader& reader);
void write_shape(const Elementwise& op, Json& json);

[[nodiscard]] std::string_view to_string(ElementwiseKind kind);
[[nodiscard]] std::span<const ElementwiseKind> all_elementwise_kinds();

}  // namespace tilewave
