// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/program/gpu_target.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/tensor_plan.hpp"

namespace tilewave {

/// Passes over rows whose results need the whole row (softmax, layer norm): a short row stays in the
/// registers of a warp; of a longer one a CTA reads it once for each sum that it needs and once more for the
/// result, from the L2 if it is still there.
struct RowKernel {
  Count rows = 0, cols = 0;
  Count operations = 1;          ///< lane operations of an element, in all passes together
  Count special_operations = 0;  ///< of its special function units
  /// Reads of a row that does not stay in registers; reductions over it.
  Count passes = 2, reductions = 1;
  Count most_threads = 1024;  ///< of the CTA of a long row
  Count register_cols = 0;    ///< longest row that a warp keeps; 0: none
  struct Operand {
    Placement place;
    Count bits = 0;  ///< of an element
  };
  std::vector<Operand> inputs;
  Operand output;
};

[[nodiscard]] program::GpuKernel build_row_kernel(const KernelId& id, const RowKernel& work,
                                                  const GpuTarget& target);

}  // namespace tilewave
