// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/program/gpu_target.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A workload made ready for a GPU: one or more kernels an op, in the order of the ops.
struct GpuWorkload {
  program::GpuProgram program;
  std::vector<std::size_t> first_kernel;  ///< of each op; then the number of kernels
  std::vector<OpFacts> facts;
  /// Multiply-adds that the kernels of each op do: the op's, but for Winograd's algorithms, padded
  /// channels, gradients that are done as other convolutions, masked scores.
  std::vector<Count> macs;
  TensorPlan tensors;
  [[nodiscard]] std::string description(std::size_t op) const;
};

/// Cycles that a program takes by itself on the machine: how kernels are compared.
using TimeProgram = std::function<Cycle(const program::GpuProgram&)>;

/// Chooses kernels and builds them. Faults (a type the machine cannot multiply) are errors in
/// `diagnostics` under `arch_file`.
[[nodiscard]] GpuWorkload lower_for_gpu(const Workload& workload, const GpuTarget& target,
                                        const TimeProgram& time_of, const std::string& arch_file,
                                        Diagnostics& diagnostics);

}  // namespace tilewave
