// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "arch/program/program.hpp"

namespace tilewave {

/// The on-chip buffer areas at run time: rings of stages that producers fill and consumers give
/// back. Modelled: which stage holds what, and so every wait of a producer for space and of a
/// consumer for data; double buffering, weight FIFOs and accumulators are all this. Not modelled
/// here: ports and banks of the memory behind it.
///
/// A ring is shared by consecutive kernels that use the same buffer under the same name with the
/// same geometry, so that a FIFO runs on from one layer to the next; a different geometry has to
/// wait until the old ring in that buffer is empty.
class SlotTable {
 public:
  /// A use of a stage, bound at dispatch.
  struct Binding {
    int ring = -1;
    std::uint32_t stage = 0;  ///< of the ring: the sequence number modulo its stages
    std::uint64_t sequence = 0;
    std::uint64_t part = 0;
    program::SlotUse::Role role = program::SlotUse::Role::plain;
    bool acquire = false, produce = false, wait = false, release = false;
  };

  /// A kernel's slot: its ring, and how many stages were acquired there before the kernel.
  struct Opened {
    int ring = -1;
    std::uint64_t first_sequence = 0;
  };
  /// The slots of a kernel; called when its first instruction is dispatched.
  [[nodiscard]] std::vector<Opened> open(const program::Kernel& kernel);
  /// Binds a use in program order.
  [[nodiscard]] Binding bind(const Opened& slot, const program::SlotUse& use,
                             const program::Walker& walker);

  /// True if the stage to be acquired is free and the stage to be read holds its part.
  [[nodiscard]] bool ready(const Binding& b) const;
  [[nodiscard]] bool space_ready(const Binding& b) const;
  [[nodiscard]] bool data_ready(const Binding& b) const;

  /// Each throws SimulationError if the stage is not in the state for it.
  void acquire(const Binding& b);
  void produce(const Binding& b);
  void release(const Binding& b);

  [[nodiscard]] const std::string& name(int ring) const {
    return rings_[static_cast<std::size_t>(ring)].name;
  }
  /// What the stages hold that still matters, as words: of rings that a kernel may still find or that
  /// are not empty, and of those that `bindings` need. Equal words: it goes on in the same way.
  void describe(const std::vector<Opened>& opened, const std::vector<const Binding*>& bindings,
                std::vector<std::int64_t>& words) const;

  /// No stage of any ring is taken (at the end of a run).
  [[nodiscard]] bool all_free() const;

 private:
  struct Stage {
    std::uint64_t owner = 0;  ///< sequence number it holds, or will hold next if free
    bool taken = false;
    std::uint64_t parts = 0;
    Count given_back = 0;
  };
  struct Ring {
    std::string name, buffer;
    Bytes stage_bytes;
    Count releases;
    std::vector<Stage> stages;
    std::uint64_t next_sequence = 0;
    Count taken = 0;
    std::vector<int> predecessors;  ///< rings in the same buffer that must be empty first
  };
  [[noreturn]] void misused(const Binding& b, const char* how) const;
  [[nodiscard]] const Stage& stage(const Binding& b) const;
  [[nodiscard]] Stage& stage(const Binding& b);

  std::deque<Ring> rings_;
  std::vector<int> newest_;  // of each buffer and name, what the next kernel finds
};

}  // namespace tilewave
