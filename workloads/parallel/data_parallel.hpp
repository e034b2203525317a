// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/op.hpp"

namespace tilewave {

/// Data parallelism: each chip does the workload as it is written, on a share of the batch of its own
/// (the workload's batch is a chip's), and before an optimizer's update the gradient that it reads is
/// summed over the chips. Weights and updates are on every chip.
[[nodiscard]] Workload data_parallel(const Workload& workload);

}  // namespace tilewave
