// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/program/data_type.hpp"

namespace tilewave {

/// Nearest number of a floating format, ties to even, as the float that equals it; rounded once,
/// straight from the double. Subnormals are kept, NaN stays NaN.
///   fp16 (1-5-10), bf16 (1-8-7), tf32 (1-8-10), fp32: beyond the largest number, infinity (IEEE
///   754). fp8, fp8_block: OCP E4M3 (1-4-3, largest 448, no infinity); larger numbers and
///   infinities saturate. fp4, nvfp4: OCP E2M1 (1-2-1, largest 6, neither infinity nor NaN);
///   likewise, and a NaN becomes the largest number. Sources: OCP 8-bit Floating Point
///   Specification 1.0, saturating mode; OCP Microscaling Formats 1.0. int8_weight_only,
///   int4_weight_only: their 16-bit arithmetic, fp16.
/// Integer formats and fp64 (whose numbers no float holds): SimulationError.
[[nodiscard]] float quantize(double value, DataType type);

/// Nearest number of an integer format (int4, int8, int16, int32), ties to even, saturating; NaN
/// becomes 0. Other formats: SimulationError.
[[nodiscard]] std::int32_t quantize_int(double value, DataType type);

}  // namespace tilewave
