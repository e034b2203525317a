// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arch/program/program.hpp"
#include "arch/program/systolic_target.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A collective around a ring of chips, by steps. All chips do the same at the same time on parts of
/// their own, so the program is that of one, whose neighbours are its mirrors: what it sends in a step
/// is as much as it receives.
///
/// In each step a part is sent and one is received, piece by piece, so that memory, link and vector
/// unit work at once; a received piece is added to the own one, or kept. A step begins to send once the
/// step before has received all: the ring's time is that of its formula,
///
///   steps (part / bandwidth + latency)
///
/// and what memory and vector unit add at its ends. Where two parts fit on chip, what a step makes is
/// there for the next to send; else it goes by way of memory, a piece as soon as it is written.
/// One core does it; the others wait.
///
/// The chip is the last of the ring: in a reduce_scatter it sends its parts from the last to the
/// second and receives sums of those before them; in the end it has the first. Where `elements` do not
/// divide by the chips, the last part begins earlier: all are of one size.
[[nodiscard]] std::optional<program::Kernel> build_collective_kernel(
    const KernelId& id, const Collective& collective, const OpTensors& tensors,
    const SystolicTarget& target, Bytes budget_bytes, Fault& why);

/// The formula.
[[nodiscard]] double ring_cycles(const Collective& collective, DataType type,
                                 const SystolicTarget& target);

}  // namespace tilewave
