// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/core/sm/cta_plan.hpp"
#include "arch/core/sm/sm_record.hpp"

namespace tilewave {

/// An SM, a CTA's slabs and phases at a time.
///
/// Modelled: CTAs side by side that take the SM's tensor cores, shared memory port and schedulers in
/// the order in which they need them (each for as long as CtaCosts says); the stages of a CTA's
/// pipeline, with reads in flight up to the SM's limit; its launch, the filling and draining of
/// pipelines, barriers between slabs, the epilogue and its stores; persistent CTAs that fetch for the
/// next block during an epilogue, and, with sums in tensor memory, multiply. Every cycle is busy or
/// in one class of waiting.
/// Not modelled here (see `detailed`): single warps and instructions, bank conflicts.
class FastSm {
 public:
  /// A read or write that the SM gives to the memory; the answer comes in a later cycle.
  struct Request {
    Count cta = 0, stage = 0;
    bool write = false;
    MatrixAccess access;
  };

  FastSm(const SmParams& sm, Count index) : sm_(sm), index_(index) {}

  /// Requires that no CTA is left. `ctas`: that the SM holds at a time. Cycles until dispatching()
  /// count as the kernel's launch.
  void begin_kernel(const CtaPlan& plan, Count ctas, Cycle now);
  /// Ends the kernel at `now`: all cycles up to it are accounted for.
  [[nodiscard]] SmRecord end_kernel(Cycle now);
  /// What it did for the kernel up to `now`.
  [[nodiscard]] const SmRecord& record_at(Cycle now) {
    account(now);
    return record_;
  }

  /// The kernel's launch is over: from now on an SM without a CTA is idle.
  void dispatching(Cycle now) {
    account(now);
    class_ = SmCycle::idle;
  }
  [[nodiscard]] bool idle() const noexcept { return running_ == 0; }
  /// Starts a CTA with block `number`; requires that the SM has room for it.
  void start(Cycle now, Count number);
  /// The next block of a persistent CTA that asked for one; none: there are no more.
  void give(Count cta, std::optional<Count> number);

  /// Does what can be done at `now`; returns when there is more to do (kNever: an answer or a new CTA
  /// must come first).
  Cycle step(Cycle now);

  /// What the SM has for whoever connects it with the rest.
  struct News {
    std::vector<Request> requests;
    std::vector<Count> wants_block;  ///< persistent CTAs, for one more
    Count finished = 0;              ///< CTAs
    [[nodiscard]] bool empty() const noexcept {
      return finished == 0 && requests.empty() && wants_block.empty();
    }
    void clear() noexcept {
      requests.clear();
      wants_block.clear();
      finished = 0;
    }
  };
  /// What it had before `now`; to be cleared by the caller. What it does at `now` itself is not in it, so
  /// that it does not matter whether the SM or the caller comes first in a cycle.
  [[nodiscard]] News& news_before(Cycle now);
  [[nodiscard]] bool has_news() const noexcept { return !earlier_.empty() || !fresh_.empty(); }

  void answer(const Request& request, const GpuMemory::Answer& answer);
  [[nodiscard]] std::string describe() const;

 private:
  static constexpr Cycle kUnknown = kNever;
  struct Stage {
    Cycle ready = 0;    ///< kUnknown until all answers are there
    Cycle partial = 0;  ///< of the answers so far
    Count answers_due = 0;
    Bytes bytes = 0;
    bool from_dram = false;
  };
  struct Slot {
    enum class Phase : std::uint8_t { free, launch, run, epilogue, store } phase = Phase::free;
    Count work_block = 0;
    std::optional<Count> load_block;      ///< whose slabs are being fetched
    std::vector<Count> next_blocks;       ///< of a persistent CTA, after work_block, oldest first
    bool asked = false;                   ///< for one more, and not answered
    Count load_slab = 0, load_slabs = 0;  ///< next to load, of how many of the block
    Count work_slabs = 0;                 ///< of the block worked on
    Count loaded = 0;                     ///< slabs in all
    Cycle until = 0;                      ///< end of the launch, of the epilogue
    /// Those that go through the slabs, each by itself (Cta::teams).
    struct Team {
      Count slab = 0;    ///< next to work on
      Count worked = 0;  ///< slabs in all
      std::size_t step = 0;
      bool working = false;
      Cycle until = 0;       ///< end of the step
      Cycle not_before = 0;  ///< of the next
    };
    std::vector<Team> teams;
    [[nodiscard]] Count worked() const noexcept;  ///< slabs in all, by all teams
    [[nodiscard]] bool works() const noexcept;    ///< does any?
    [[nodiscard]] bool block_done() const noexcept;
    // An epilogue beside the next block's products.
    bool side_epilogue = false, side_storing = false;
    Cycle side_until = 0;
    Count side_block = 0;
    Count stores_due = 0;
    Cycle stored = 0;
    std::vector<Stage> stages;
  };
  /// A unit that does one thing after another.
  struct Unit {
    Cycle free = 0;
    Cycle take(Cycle now, Cycle cycles) {
      free = std::max(free, now) + cycles;
      return free;
    }
  };

  Cycle advance(Count slot, Cycle now);
  bool load(Count slot, Cycle now);
  bool work(Slot& s, Slot::Team& team, Cycle now, Cycle& wake);
  void begin_work(Slot& s, Count block);
  void begin_load(Slot& s, std::optional<Count> block);
  bool finish_block(Count slot, Cycle now, Cycle& wake);
  void post_stores(Count slot, Count block);
  Cycle serve(Cycle now, const UnitCycles& cycles);
  bool serve_step(Slot::Team& team, Cycle now, Cycle& wake);
  [[nodiscard]] SmCycle waiting_class(Cycle now) const;
  void account(Cycle now);
  void free_arrived(Cycle now);

  const SmParams& sm_;
  Count index_;
  const CtaPlan* plan_ = nullptr;
  std::vector<Slot> slots_;
  Count running_ = 0, warps_each_ = 0;
  Unit tensor_, shared_, issue_, special_;
  Unit turn_;             ///< of steps that take turns (Cta::in_step)
  News earlier_, fresh_;  // fresh: of fresh_cycle_
  Cycle fresh_cycle_ = 0;
  CtaPlan::Accesses accesses_;
  struct Flight {
    Cycle ready;
    Bytes bytes;
  };
  std::vector<Flight> flights_;
  Bytes in_flight_ = 0;
  SmRecord record_;
  Cycle accounted_ = 0;
  SmCycle class_ = SmCycle::launch;
};

}  // namespace tilewave
