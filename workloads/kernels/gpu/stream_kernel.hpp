// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/program/gpu_target.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/tensor_plan.hpp"

namespace tilewave {

/// A pass over tensors, element by element: reads each input once, writes the output once.
struct StreamKernel {
  struct Operand {
    Placement place;
    Count bits = 0;  ///< an element of the output has of it
  };
  Count elements = 0;
  /// Elements of a row, if the tensors are matrices of such rows: CTAs take tiles of a few rows then, so
  /// that they find in the L2 what products left there; 0: runs of elements.
  Count row_elements = 0;
  Count operations = 1;          ///< lane operations of an element
  Count special_operations = 0;  ///< of its special function units
  std::vector<Operand> inputs;
  Operand output;

  /// Sums of as many CTAs, each `each` bytes, one after the other at `sums`.
  void add_splits(const Placement& sums, Count splits, Bytes each);
};

/// CTAs of 256 threads, each of which takes 16 bytes of the output at a time.
[[nodiscard]] program::GpuKernel build_stream_kernel(const KernelId& id, const StreamKernel& work,
                                                     const GpuTarget& target);

}  // namespace tilewave
