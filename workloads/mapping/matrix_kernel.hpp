// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/matrix_mapping.hpp"
#include "workloads/mapping/tensor_plan.hpp"

namespace tilewave {

/// How the machine's compiler lays a mapped contraction's weights out; none: as the op says.
[[nodiscard]] std::optional<MatrixProblem::WeightTiles> weight_tiles(const MatrixMapping& mapping,
                                                                     const SystolicTarget& target);

/// The kernel of a mapped contraction: in the innermost loop, fetch the tiles of A and B that are
/// new, multiply, and when a result tile is complete take it through the vector unit and store it.
/// Where k is dealt to cores, C is the sums of part after part (the problem is one with sums_out).
/// With several matrix units every unit has its own tile of the split dimension (n; m if A is
/// stationary).
[[nodiscard]] program::Kernel build_matrix_kernel(const KernelId& id, const MatrixProblem& problem,
                                                  const MatrixMapping& mapping,
                                                  const MatrixContext& context,
                                                  const OpTensors& tensors);

}  // namespace tilewave
