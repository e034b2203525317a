// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "arch/program/systolic_target.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// The kernel of an op that only the vector unit works on (pooling, elementwise): fetch a chunk of
/// each input that is not on chip, compute, store what does not stay. A chunk is a number of output
/// rows (pooling: the input rows under them are fetched again where chunks overlap) or of elements.
/// None if not even the smallest chunk fits `budget_bytes` of the activation buffer; `why` says so.
[[nodiscard]] std::optional<program::Kernel> build_vector_kernel(const Op& op, int layer,
                                                                 const SystolicTarget& target,
                                                                 Bytes budget_bytes,
                                                                 const OpTensors& tensors,
                                                                 Fault& why);

/// The kernel of such an op on a machine without a vector unit: nothing happens, at no cost.
[[nodiscard]] program::Kernel build_skipped_kernel(const Op& op, int layer);

}  // namespace tilewave
