// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "arch/core/sm/detailed/cta_expansion.hpp"
#include "arch/core/sm/detailed/sub_core.hpp"
#include "arch/core/sm/sm.hpp"
#include "sim/events.hpp"

namespace tilewave {

/// An SM, a warp instruction at a time.
///
/// Modelled: warps on sub-cores (SubCore), shared memory with one port, the load-store unit, copies and
/// stores in pieces of some rows that go to the memory when their last instruction issues, bytes in
/// flight up to the SM's limit, barriers, the stages of a CTA's pipeline, CTAs as many as fit,
/// persistent ones that ask for their next block. Every cycle of every sub-core has issued or is in one
/// class of waiting.
/// Not modelled: instruction fetch, an L1 that keeps what kernels load.
class DetailedSm final : public Sm, private WarpHost {
 public:
  DetailedSm(const SmParams& sm, Count index);
  DetailedSm(const DetailedSm&) = delete;
  DetailedSm& operator=(const DetailedSm&) = delete;

  void begin_kernel(const CtaPlan& plan, Count ctas, Cycle now) override;
  [[nodiscard]] SmRecord end_kernel(Cycle now) override;
  [[nodiscard]] const SmRecord& record_at(Cycle now) override;
  void dispatching(Cycle now) override;
  [[nodiscard]] bool idle() const noexcept override { return running_ == 0; }
  void start(Cycle now, Count number) override;
  void give(Count cta, std::optional<Count> number) override;
  Cycle step(Cycle now) override;
  void answer(const SmRequest& request, const GpuMemory::Answer& answer) override;
  [[nodiscard]] std::string describe() const override;

  /// Tells of its warps what they wait for.
  void trace(const EventBus& events);

 private:
  /// Some rows that a warp moves with a few instructions.
  struct Piece {
    MatrixAccess access;
    Count instructions = 1;
  };
  struct Stage {
    Count sequence = 0;  ///< slab that is in it, or on its way
    bool asked_for = false;
    Count due = 0;  ///< requests without an answer
    Cycle ready = 0;
    bool from_dram = false;
    std::vector<Piece> pieces;
    Count given_back = 0;  ///< warps that have read it
    Cycle free_at = 0;
    std::vector<WarpPlace> waiting;
  };
  struct Block {
    Count number = 0;
    Count first_slab = 0, slabs = 1;  ///< counted from the CTA's start
    Count warps_done = 0;
    std::vector<Piece> stores;
    bool stores_known = false;
    Cycle sums_ready = kNever;  ///< tcgen05
    Count sums_read = 0;        ///< warps
  };
  struct Cta {
    bool active = false;
    Count started_with = 0;  ///< block
    std::deque<Block> blocks;
    Count first_block = 0;  ///< of `blocks`, counted from the CTA's start
    Count end_slab = 0;     ///< of all blocks so far
    bool asked = false, no_more = false;
    std::vector<Stage> stages;
    std::vector<WarpPlace> at_barrier, wants_block, waits_for_sums;
    Count warps = 0, stores_due = 0;
    Cycle stored = 0;
  };
  struct Flight {
    Cycle ready;
    Bytes bytes;
  };

  // WarpHost
  std::optional<Count> instructions_of(Warp& warp, const WarpInstruction& i,
                                       WarpPlace place) override;
  When may_issue(const Warp& warp, const WarpInstruction& i, WarpPlace place) override;
  Cycle perform(Warp& warp, const WarpInstruction& i, WarpPlace place, Cycle now) override;
  SharedPort::Access access_shared(Cycle now, Cycle cycles, Bytes bytes) override;
  Next next_block(Warp& warp, WarpPlace place, Cycle now) override;

  void add_block(Cta& cta, Count number) const;
  Block* block_of(Cta& cta, Count block);
  void ask(Count cta);
  Stage& stage_of(Cta& cta, Count sequence) { return cta.stages[sequence % cta.stages.size()]; }
  void prepare(Count cta, Stage& stage, Count sequence);
  void cut(const MatrixAccess& access, std::vector<Piece>& out) const;
  std::optional<Count> copies_of(Warp& warp, const WarpInstruction& i, WarpPlace place);
  [[nodiscard]] static Count take_share(Warp& warp, const WarpInstruction& i,
                                        const std::vector<Piece>& pieces, Count warps);
  [[nodiscard]] Count stores_of(Warp& warp, const WarpInstruction& i);
  void copy_one(Warp& warp, const WarpInstruction& i);
  void store_one(Warp& warp);
  [[nodiscard]] Cycle lines_of_instruction() const;
  void arrive(Warp& warp, WarpPlace place, Cycle now);
  void multiply_everywhere(Warp& warp, const WarpInstruction& i, Cycle now);
  void give_back(Warp& warp, const WarpInstruction& i, Cycle now);
  void block_done(Cta& cta, const Warp& warp);
  void wake_all(std::vector<WarpPlace>& places, Cycle at);
  void free_arrived(Cycle now);
  void end_ctas(Cycle now);
  void account(Cycle now);
  void classify();
  void publish();

  const SmParams& sm_;
  Count index_;
  const CtaPlan* plan_ = nullptr;
  std::unique_ptr<CtaExpansion> expansion_;
  std::vector<SubCore> sub_cores_;
  std::vector<Cta> ctas_;
  Count running_ = 0, warps_each_ = 0;
  SharedPort shared_, global_;
  std::vector<Flight> flights_;
  Bytes in_flight_ = 0;
  Cycle next_arrival_ = kNever;
  std::vector<WarpPlace> wants_flight_, woken_;
  CtaPlan::Accesses accesses_;
  Cycle stepping_ = 0;
  SmRecord record_;
  Bytes shared_bytes_ = 0;
  Cycle accounted_ = 0;
  SmCycle class_ = SmCycle::launch;
  SubCoreCycle empty_class_ = SubCoreCycle::launch;
  const EventBus* events_ = nullptr;
};

}  // namespace tilewave
