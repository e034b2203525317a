// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "arch/program/gemm_values.hpp"
#include "workloads/op.hpp"

namespace tilewave {

/// Operands of a functional GEMM: random numbers of the op's data type, a function of its seed
/// alone (a SplitMix64 sequence, S. Vigna 2015). Small whole numbers for the floating formats, so
/// that sums are exact in fp32 up to k = 2^18 and can be compared whatever the order of addition.
[[nodiscard]] std::shared_ptr<program::GemmValues> make_gemm_values(const Gemm& gemm, DataType type,
                                                                    std::uint64_t seed);

}  // namespace tilewave
