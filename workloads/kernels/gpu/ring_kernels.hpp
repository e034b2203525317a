// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/program/gpu_target.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A collective around a ring of GPUs as one launch that goes from step to step (count_facts(Collective)
/// says which there are): in each a part is read from the neighbour over the link, added to the own part
/// or kept, and written for the next to read. A barrier of all CTAs ends a step.
///
/// All chips do the same at the same time, so the neighbour is the chip's own mirror: what it reads from
/// the other's memory the other reads from its own. The first step and one that stands for those like it
/// are simulated.
/// Not modelled: several rings or trees at a time, sums in a switch, small messages sent with their flags
/// in one packet (the LL protocols of NCCL), several pieces of a part under way in different steps.
[[nodiscard]] std::vector<program::GpuKernel> build_ring_kernels(const KernelId& id,
                                                                 const Collective& collective,
                                                                 const OpTensors& tensors,
                                                                 const GpuTarget& target);

}  // namespace tilewave
