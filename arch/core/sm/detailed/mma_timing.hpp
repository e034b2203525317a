// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/core/sm/detailed/warp_program.hpp"
#include "arch/core/sm/sm_params.hpp"

namespace tilewave {

/// A multiply that a warp gives to its tensor core, as instructions: `sets` that add to the same sums
/// one after another (each a part of k), each of `steps` (each a part of the sums).
struct MmaTiming {
  Count m = 16, n = 8, k = 16;
  Count sets = 1, steps = 1;
  double step_cycles = 0;    ///< of the tensor core, each step
  Cycle set_cycles = 0;      ///< from a set to the next of the same sums
  Cycle latency_cycles = 0;  ///< from the first step to the last one's result, if alone

  [[nodiscard]] Count instructions() const { return sets * steps; }
  /// Of the last step, from its issue to its result.
  [[nodiscard]] Cycle last_latency_cycles() const;
};

[[nodiscard]] MmaTiming mma_timing(const TensorCoreParams& tensor, const MmaShape& shape);
/// Of the shape in which kernels of this type multiply: the first of TensorCoreParams::shapes, else 16 x 8 and
/// 32 bytes of k.
[[nodiscard]] MmaTiming mma_timing(const TensorCoreParams& tensor, DataType type);

struct MmaRegisters {
  std::int16_t sums = WarpInstruction::kNone;
  std::int16_t a = WarpInstruction::kNone, b = WarpInstruction::kNone;  ///< fragments
};
/// Appends the instructions of a set of the multiply, at so much of the tensor core's rate.
void append_set(std::vector<WarpInstruction>& list, const MmaTiming& mma, double rate, Count set,
                const MmaRegisters& registers);

}  // namespace tilewave
