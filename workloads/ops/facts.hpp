// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// All that is wrong with an op's sizes, counts too large for 64 bits included (more than 2^62
/// MACs, or a tensor of more than 2^56 elements). Empty: facts() is exact.
[[nodiscard]] ShapeFaults check_shape(const OpShape& shape);

/// Sums over a workload. Stop at kMaxCount.
struct WorkloadTotals {
  Count macs = 0;
  Count flops = 0;
  Count parameters = 0;  ///< weights and biases
};
[[nodiscard]] WorkloadTotals totals(const Workload& workload);

}  // namespace tilewave
