// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace tilewave::program {

/// Operands and result of a functional GEMM, C[b] = A[b] B[b], row-major.
/// Integer formats: `ints` are used, sums wrap at 32 bits. Floating formats: `floats` hold the
/// narrow numbers exactly, sums are fp32.
struct GemmValues {
  bool integer = true;
  Count batch = 1, m = 0, n = 0, k = 0;
  std::vector<std::int32_t> a_ints, b_ints, c_ints;
  std::vector<float> a_floats, b_floats, c_floats;
};

}  // namespace tilewave::program
