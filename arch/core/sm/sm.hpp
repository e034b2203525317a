// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/core/sm/cta_plan.hpp"
#include "arch/core/sm/sm_record.hpp"
#include "arch/memory/shared_l2/gpu_memory.hpp"

namespace tilewave {

/// A read or write that an SM gives to the memory; the answer comes in a later cycle.
struct SmRequest {
  Count cta = 0, stage = 0;
  bool write = false;
  MatrixAccess access;
};

/// What an SM has for whoever connects it with the rest.
struct SmNews {
  std::vector<SmRequest> requests;
  std::vector<Count> wants_block;  ///< persistent CTAs, for one more
  std::vector<Count> finished;     ///< CTAs, by the block with which they were started
  [[nodiscard]] bool empty() const noexcept {
    return finished.empty() && requests.empty() && wants_block.empty();
  }
  void clear() noexcept {
    requests.clear();
    wants_block.clear();
    finished.clear();
  }
};

/// A streaming multiprocessor, as the rest of the GPU sees it.
class Sm {
 public:
  virtual ~Sm() = default;

  /// Requires that no CTA is left. `ctas`: that the SM holds at a time. Cycles until dispatching()
  /// count as the kernel's launch.
  virtual void begin_kernel(const CtaPlan& plan, Count ctas, Cycle now) = 0;
  /// Ends the kernel at `now`: all cycles up to it are accounted for.
  [[nodiscard]] virtual SmRecord end_kernel(Cycle now) = 0;
  /// What it did for the kernel up to `now`.
  [[nodiscard]] virtual const SmRecord& record_at(Cycle now) = 0;
  /// The kernel's launch is over: from now on an SM without a CTA is idle.
  virtual void dispatching(Cycle now) = 0;
  [[nodiscard]] virtual bool idle() const noexcept = 0;
  /// Starts a CTA with block `number`; requires that the SM has room for it.
  virtual void start(Cycle now, Count number) = 0;
  /// The next block of a persistent CTA that asked for one; none: there are no more.
  virtual void give(Count cta, std::optional<Count> number) = 0;
  /// Does what can be done at `now`; returns when there is more to do (kNever: an answer or a new CTA
  /// must come first).
  virtual Cycle step(Cycle now) = 0;
  virtual void answer(const SmRequest& request, const GpuMemory::Answer& answer) = 0;
  [[nodiscard]] virtual std::string describe() const = 0;

  /// What it had before `now`; to be cleared by the caller. What it does at `now` itself is not in it, so
  /// that it does not matter whether the SM or the caller comes first in a cycle.
  [[nodiscard]] SmNews& news_before(Cycle now);
  [[nodiscard]] bool has_news() const noexcept { return !earlier_.empty() || !fresh_.empty(); }

 protected:
  Sm() = default;
  Sm(const Sm&) = default;
  Sm& operator=(const Sm&) = default;

  SmNews earlier_, fresh_;  // fresh: of fresh_cycle_
  Cycle fresh_cycle_ = 0;
};

}  // namespace tilewave
