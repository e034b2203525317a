// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// What executes warp instructions in a sub-core. `memory` is its queue to the SM's load-store unit.
enum class WarpPipe : std::uint8_t { tensor, fp32, fp16, integer, fp64, special, memory, control };
inline constexpr std::size_t kWarpPipes = 8;

/// Time on a pipe, in parts of a cycle: a tensor core under a power limit takes no whole number of them.
using Ticks = std::uint64_t;
inline constexpr Ticks kTicks = 1024;

enum class WarpOp : std::uint8_t {
  compute,         ///< on a pipe, with registers
  group_multiply,  ///< wgmma: into the tensor core's queue; operands from shared memory
  cta_multiply,    ///< tcgen05: on all tensor cores of the SM
  read_shared,     ///< shared memory to registers
  write_shared,
  copy,        ///< this warp's part of what a slab loads: one instruction each 16 bytes a lane
  keep,        ///< what copy brought to registers is written to shared memory
  wait_slab,   ///< until the slab's data is there
  wait_room,   ///< until the slab's place is free: whoever fetches for others
  give_back,   ///< this warp no longer reads the slab
  commit,      ///< multiplies so far are one group
  wait_group,  ///< until all groups but the last `arg` are done
  wait_sums,   ///< tcgen05: until the block's sums are complete
  give_sums,   ///< … are complete once the multiplies are
  free_sums,   ///< … have been read
  wait_place,  ///< … until there is a place for the block's sums
  barrier,     ///< of the warps that compute
  store,       ///< this warp's part of what the block stores
};

/// An instruction of a warp. Registers are those that someone may wait for, each with a name of its
/// own: a fragment, the sums of a multiply's tile.
struct WarpInstruction {
  static constexpr std::int16_t kNone = -1;
  WarpOp op = WarpOp::compute;
  WarpPipe pipe = WarpPipe::control;
  bool multiplies = false;           ///< counts as matrix work
  bool unless_last = false;          ///< not in a block's last slab
  bool first_block = false;          ///< only in a CTA's first block
  std::uint16_t repeat = 1;          ///< so many of them, independent of each other
  std::uint16_t latency = 0;         ///< from issue to the result
  std::uint16_t arg = 0;             ///< slabs ahead; groups
  std::uint8_t part = 0, parts = 1;  ///< of copy, store
  std::uint16_t wavefronts = 0;      ///< cycles of shared memory
  std::uint32_t interval = 0;        ///< ticks of its pipe
  std::uint32_t bytes = 0;           ///< of shared memory
  std::uint32_t macs = 0;
  std::int16_t result = kNone;
  std::array<std::int16_t, 3> sources{kNone, kNone, kNone};
};

/// What a warp does: `head`, then `slab` for each slab of its block, then `tail`; again for its CTA's next
/// block. Loops stay loops: warps of a role share one program.
struct WarpProgram {
  std::vector<WarpInstruction> head, slab, tail;
  std::size_t registers = 0;
  bool computes = true;  ///< takes part in barriers and completes blocks
};

/// What a cycle of a sub-core was: it issued, or what the warp to issue next waited for.
enum class SubCoreCycle : std::uint8_t {
  issued,
  math_pipe,     ///< its pipe is taken
  memory_queue,  ///< the queue to the load-store unit is full
  dependency,    ///< a result of fixed latency
  shared_data,   ///< data from shared memory
  wait_dram,
  wait_l2,
  barrier,      ///< other warps, or a place that others give back
  store_drain,  ///< stores that leave the SM
  launch,
  idle,  ///< no warp
};
inline constexpr std::size_t kSubCoreCycles = 11;
[[nodiscard]] std::string_view to_string(SubCoreCycle cycle);
using SubCoreBreakdown = std::array<Cycle, kSubCoreCycles>;

}  // namespace tilewave
