// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "arch/core/sm/detailed/shared_memory.hpp"
#include "arch/core/sm/detailed/warp_program.hpp"

namespace tilewave {

/// A warp: where it is in its program, and when what it waits for is there.
struct Warp {
  enum class Part : std::uint8_t { head, slab, tail };
  const WarpProgram* program = nullptr;  ///< null: no warp
  Count cta = 0, role = 0, index = 0;    ///< index: among its role's
  Count slabs = 1;                       ///< of a block
  // Where it is.
  Part part = Part::head;
  std::size_t at = 0;  ///< instruction of the part
  Count left = 0;      ///< repetitions of it that are still to issue; 0: not looked at yet
  Count slab = 0;      ///< of the block
  Count sequence = 0;  ///< slabs of all its CTA's blocks so far
  Count block = 0;     ///< blocks of its CTA so far
  Count piece = 0, left_of_piece = 0;  ///< of a copy or a store
  // What it waits for.
  Cycle not_before = 0;
  SubCoreCycle not_before_why = SubCoreCycle::dependency;
  std::vector<Cycle> ready;  ///< of each register
  std::vector<SubCoreCycle> why;
  Cycle writes_done = 0;                                      ///< to shared memory
  Cycle last_multiply = 0, last_group = 0, group_before = 0;  ///< ends of what went into the queue
  Cycle issued = 0;
  bool reported = false;  ///< that it is through with its block
  Count order = 0;        ///< of its start: a lower one is older

  [[nodiscard]] const std::vector<WarpInstruction>& list() const {
    return part == Part::slab ? program->slab : part == Part::head ? program->head : program->tail;
  }
};

/// Of which warp the host speaks: slot `slot` of sub-core `sub_core`.
struct WarpPlace {
  std::size_t sub_core = 0, slot = 0;
};

/// What a sub-core's warps share with the rest of the SM.
class WarpHost {
 public:
  struct When {
    Cycle at = 0;
    SubCoreCycle why = SubCoreCycle::barrier;
  };
  enum class Next { go_on, wait, exit };

  virtual ~WarpHost() = default;
  /// Of a copy, keep or store: how many instructions it is for this warp; none: not known yet, the
  /// host will wake the warp.
  virtual std::optional<Count> instructions_of(Warp& warp, const WarpInstruction& i,
                                               WarpPlace place) = 0;
  /// Of an instruction that waits for others; kNever: the host will wake the warp.
  virtual When may_issue(const Warp& warp, const WarpInstruction& i, WarpPlace place) = 0;
  /// It issues. May set the warp's not_before. For one that goes to the memory: when it leaves the
  /// queue to the load-store unit.
  virtual Cycle perform(Warp& warp, const WarpInstruction& i, WarpPlace place, Cycle now) = 0;
  virtual SharedPort::Access access_shared(Cycle now, Cycle cycles, Bytes bytes) = 0;
  /// The warp is through with a block.
  virtual Next next_block(Warp& warp, WarpPlace place, Cycle now) = 0;

 protected:
  WarpHost() = default;
  WarpHost(const WarpHost&) = default;
  WarpHost& operator=(const WarpHost&) = default;
};

}  // namespace tilewave
