// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/mapping/matrix_mapping.hpp"
#include "workloads/mapping/stream_work.hpp"

namespace tilewave {

/// A product whose k is dealt to the cores ("split-K"): each core multiplies a part of k and writes its
/// sums, as wide as the accumulators, to memory; when all are there, the vector units of all cores add
/// the parts up, apply the epilogue once and write C. Two kernels, the barrier between them.
///
/// Which products can be done so: those of more than one core and of A, B and C in memory, so that
/// any core finds any part of them; a convolution's windows hold all of k, so it is none of them.
[[nodiscard]] bool can_split_k(const MatrixProblem& problem, const MatrixContext& context);

/// Bytes of the sums of one part.
[[nodiscard]] Bytes sums_bytes(const MatrixProblem& problem);

/// The pass that adds `parts` of sums up: a lane operation for each part but the first, then the
/// epilogue's. A bias is kept on chip, a residual comes in with the sums.
[[nodiscard]] StreamWork sum_of_parts(const MatrixProblem& problem, Count parts,
                                      const Placement& sums, const OpTensors& tensors,
                                      const SystolicTarget& target);

/// What that pass and the barrier before it should cost.
[[nodiscard]] double sum_cycles(const MatrixProblem& problem, Count parts,
                                const MatrixContext& context);

/// The least that the products and their operands can take on all cores, whatever the mapping.
[[nodiscard]] double least_product_cycles(const MatrixProblem& problem,
                                          const MatrixContext& context);

}  // namespace tilewave
