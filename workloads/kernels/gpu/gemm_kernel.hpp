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
  /// Where a tile of an operand lies that is not stored as a matrix: rows of A or columns of B, and k.
  using Gather = std::function<program::Region(const Span& rows, const Span& k)>;

  Placement a, b, c;
  Gather gather_a, gather_b;
  /// Lane operations of a slab beside its products: operands that are transformed on the way.
  Count slab_operations = 0;
  /// Rows of C that are stored, dealt evenly to the rows of tiles; 0: m, by tiles.
  Count stored_rows = 0;
  /// Elements from A, C of one of the batch to the next's; 0: as many as it has.
  Count a_batch_pitch = 0, c_batch_pitch = 0;
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
