// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/core/systolic_core_params.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Reads a core's "matrix_unit". All faults go to the reader's diagnostics.
[[nodiscard]] MatrixUnitParams read_matrix_unit(ObjectReader unit);
[[nodiscard]] Json to_json(const MatrixUnitParams& unit);

}  // namespace tilewave
