// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "workloads/kernels/gpu/gemm_tile.hpp"
#include "workloads/mapping/kernel_id.hpp"
#include "workloads/mapping/tensor_plan.hpp"
#include "workloads/op_shapes.hpp"

namespace tilewave {

/// Where the matrices of a product lie.
struct GemmPlaces {
  Placement a, b, c;
  std::optional<Placement> residual;  ///< added in the epilogue
  /// Where splits of k put their sums; takes so many bytes, says where.
  std::function<Placement(Bytes)> workspace;
};

/// The kernels of a product: one, or with k split a second one that adds the sums up.
[[nodiscard]] std::vector<program::GpuKernel> build_gemm_kernels(const KernelId& id,
                                                                 const Gemm& gemm,
                                                                 const GemmTile& tile,
                                                                 const GemmPlaces& places,
                                                                 const GpuTarget& target);

[[nodiscard]] GemmProblem problem_of(const Gemm& gemm, DataType dtype);

}  // namespace tilewave
