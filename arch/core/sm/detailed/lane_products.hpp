// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/core/sm/detailed/warp_program.hpp"
#include "arch/core/sm/sm_params.hpp"

namespace tilewave {

/// How a warp's lanes do a tile of a product, for one step of k: each a part of the tile (an outer
/// product), its operands from shared memory 16 bytes at a time.
struct LaneProduct {
  WarpPipe pipe = WarpPipe::fp32;
  Count lanes = 1;  ///< of the pipe, that an instruction of one operation a lane takes in a cycle
  Count k = 1;      ///< of a step: dp4a adds four products
  Count instructions = 1, macs_each = 0;
  Count loads = 0, load_wavefronts = 0;
  Bytes load_bytes = 0;  ///< different ones, each load
};
[[nodiscard]] LaneProduct lane_product(const SmParams& sm, DataType type, Count rows,
                                       Count columns);

}  // namespace tilewave
