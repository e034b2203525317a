// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/core/sm/sm.hpp"

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
class FastSm final : public Sm {
 public:
  using Request = SmRequest;
  using News = SmNews;

  FastSm(const SmParams& sm, Count index) : sm_(sm), index_(index) {}

  void begin_kernel(const CtaPlan& plan, Count ctas, Cycle now) override;
  [[nodiscard]] SmRecord end_kernel(Cycle now) override;
  [[nodiscard]] const SmRecord& record_at(Cycle now) override {
    account(now);
    return record_;
  }
  void dispatching(Cycle now) override {
    account(now);
    class_ = SmCycle::idle;
  }
  [[nodiscard]] bool idle() const noexcept override { return running_ == 0; }
  void start(Cycle now, Count number) override;
  void give(Count cta, std::optional<Count> number) override;
  Cycle step(Cycle now) override;
  void answer(const Request& request, const GpuMemory::Answer& answer) override;
  [[nodiscard]] std::string describe() const override;

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
    Count first_block = 0;  ///< with which it was started
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
  bool load(Count slot, Cycle now, Cycle& wake);
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
  Unit turn_;  ///< of steps that take turns (Cta::in_step)
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
