// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "arch/core/sm/sm_params.hpp"
#include "arch/program/cta.hpp"

namespace tilewave {

/// How many CTAs of a kernel an SM holds, and what does not allow one more.
struct Occupancy {
  enum class Limit { registers, shared_memory, warps, ctas };
  Count ctas = 0;
  Limit limit = Limit::ctas;
  Count warps = 0;  ///< of these CTAs
};
[[nodiscard]] std::string_view to_string(Occupancy::Limit limit);

/// Registers are given to a warp in units of 256, shared memory in units of 128 bytes (CUDA occupancy
/// calculator, compute capability 7.0 to 9.0).
[[nodiscard]] Occupancy occupancy(const SmParams& sm, const program::Cta& cta);

}  // namespace tilewave
