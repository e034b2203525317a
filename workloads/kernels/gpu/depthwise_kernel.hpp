// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arch/program/gpu_target.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op_shapes.hpp"

namespace tilewave {

/// One channel a group: no sums over channels, so nothing for tensor cores. The lanes multiply; a CTA
/// takes some rows of outputs of some channels and reads the rows of the input under them once.
[[nodiscard]] bool is_depthwise(const Conv2d& conv);
[[nodiscard]] program::GpuKernel build_depthwise_kernel(
    const KernelId& id, const Conv2d& conv, const Placement& input, const Placement& weights,
    const Placement& output, const std::optional<Placement>& residual, const GpuTarget& target);

}  // namespace tilewave
