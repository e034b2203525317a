// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arch/program/gpu_target.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/stream_work.hpp"

namespace tilewave {

/// The kernel of a pass of the vector unit: rows (softmax, layer norm, RMS norm) or a stream of elements.
/// `part`: which part of the op it is; empty: all of it.
[[nodiscard]] program::GpuKernel build_vector_kernel(const KernelId& id, const Op& op,
                                                     const std::string& part,
                                                     const StreamWork& work,
                                                     const GpuTarget& target);

}  // namespace tilewave
