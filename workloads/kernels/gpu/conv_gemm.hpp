// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/kernels/gpu/gemm_kernel.hpp"

namespace tilewave {

/// A convolution as a product whose operands are gathered on the way (implicit GEMM), by group:
///   forward          outputs x filters:  windows (outputs x taps) times filters (taps x filters)
///   weight gradient  filters x taps:     gradient^T (filters x outputs) times windows (outputs x taps)
/// Taps are filter rows x filter columns x channels, channels innermost where they come last.
struct ConvGemm {
  Gemm gemm;
  GemmProblem problem;
  GemmPlaces::Gather gather_a, gather_b;
  Count a_batch_pitch = 0, c_batch_pitch = 0;
  Count slab_operations = 0, stored_rows = 0;  ///< as GemmPlaces

  [[nodiscard]] Count macs() const { return gemm.batch * gemm.m * gemm.n * gemm.k; }
  [[nodiscard]] GemmPlaces at(const Placement& a, const Placement& b, const Placement& c) const;
};

/// `channels`: of a group, as they are stored: with padding, if they were padded.
[[nodiscard]] ConvGemm forward_gemm(const Conv2d& conv, DataType dtype, Count channels);
[[nodiscard]] ConvGemm weight_gradient_gemm(const Conv2d& conv, DataType dtype, Count channels);

/// The forward convolution that a transposed one of stride 1 is: the filters turned round, padding what
/// was cut off. None for other strides.
[[nodiscard]] std::optional<Conv2d> as_forward(const Conv2d& transposed);

}  // namespace tilewave
