// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/units.hpp"

/// What kernels of products and of attention have in common.
namespace tilewave {

inline constexpr unsigned kSumBits = 32;      ///< of a sum that another kernel goes on with
inline constexpr Bytes kBarrierBytes = 1024;  ///< shared memory for the copy engine's barriers
inline constexpr Count kWarpsOfGroup = 4;     ///< wgmma, tcgen05 (PTX ISA)

}  // namespace tilewave
