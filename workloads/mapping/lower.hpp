// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "arch/program/program.hpp"
#include "arch/program/systolic_target.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// A workload made ready for a systolic machine: one or more kernels an op, in the order of the ops,
/// and what the mapper knew.
struct LoweredWorkload {
  program::Program program;
  std::vector<std::size_t> first_kernel;  ///< of each op; then the number of kernels
  std::vector<OpFacts> facts;
  TensorPlan tensors;
  std::vector<bool> skipped;             ///< ops that the machine has no unit for
  std::vector<double> predicted_cycles;  ///< by the mapper, 0 where it made no choice
  /// What op i does, in words: its kernels', of many the first few.
  [[nodiscard]] std::string description(std::size_t i) const;
};

/// Chooses the mapping of every op and builds its kernel. Faults (a buffer too small for one tile,
/// a data type the machine cannot multiply) are errors in `diagnostics` under `arch_file`.
[[nodiscard]] LoweredWorkload lower(const Workload& workload, const SystolicTarget& target,
                                    const std::string& arch_file, Diagnostics& diagnostics);

}  // namespace tilewave
