// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/config/reader.hpp"
#include "workloads/op.hpp"
#include "workloads/ops/shape_fault.hpp"

namespace tilewave {

/// C[b] = A[b] B[b], b < batch; A is m x k, B is k x n, C is m x n. Transposes change the layout in
/// memory, never a count.
///
///   MACs    = batch m n k
///   FLOPs   = 2 MACs + (number of epilogues) batch m n
///   inputs  = batch m k; with b_is_activation also batch k n; with a residual also batch m n
///   weights = batch k n, none with b_is_activation
///   bias    = batch n, output = batch m n
/// Stored: A takes batch rows lda, C and a residual batch m ldc places; rows = m, or k if transposed.
[[nodiscard]] OpFacts count_facts(const Gemm& gemm);
[[nodiscard]] ShapeFaults find_faults(const Gemm& gemm);

/// Elements from one stored row of A, B, C to the next.
[[nodiscard]] Count pitch_a(const Gemm& gemm);
[[nodiscard]] Count pitch_b(const Gemm& gemm);
[[nodiscard]] Count pitch_c(const Gemm& gemm);

[[nodiscard]] Gemm read_gemm(ObjectReader& reader);
void write_shape(const Gemm& gemm, Json& json);

}  // namespace tilewave
