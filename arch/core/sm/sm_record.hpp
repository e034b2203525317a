// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "arch/core/sm/detailed/warp_program.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// What a cycle of an SM was: each is one of these.
enum class SmCycle {
  matrix_busy,  ///< its tensor cores (or the lanes in their place) multiply
  vector_busy,  ///< vector work, epilogues
  wait_dram,    ///< all that it could do waits for data from DRAM
  wait_l2,      ///< … for data that the L2 has, or has to hand on
  wait_store,   ///< results wait to leave
  sync,         ///< pipelines fill and drain, barriers
  launch,       ///< the kernel, or its CTAs, are being launched
  idle,         ///< no CTA for it: the tail of a grid, or one too small
};
inline constexpr std::size_t kSmCycles = 8;
[[nodiscard]] std::string_view to_string(SmCycle cycle);
using SmBreakdown = std::array<Cycle, kSmCycles>;

/// What an SM did for one kernel.
struct SmRecord {
  SmBreakdown breakdown{};
  Count macs = 0;               ///< that the op asks for
  Count macs_done = 0;          ///< with the padding of tiles to whole instructions
  Count slabs = 0, blocks = 0;  ///< passes of CTAs' loops, however many teams make them
  Count instructions = 0;       ///< of warps
  Bytes shared_bytes = 0;       ///< through the port of shared memory
  Cycle tensor_cycles = 0, resident_warp_cycles = 0;
  SubCoreBreakdown sub_cores{};  ///< sums over its sub-cores; `detailed` only
  SmRecord& operator+=(const SmRecord& other) noexcept;
  /// What was done since `earlier`, a number of times.
  [[nodiscard]] SmRecord since(const SmRecord& earlier, Count times) const noexcept;
};

}  // namespace tilewave
