// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arch/core/job.hpp"
#include "arch/core/systolic_core_params.hpp"
#include "sim/resources.hpp"

namespace tilewave {

/// The SIMD unit of a core: takes tile instructions in order; each occupies it for
/// vector_cycles() (lanes or buffer ports, whichever is slower) and is complete latency_cycles
/// after its last element; the next one may start while the last one's latency runs out. Not
/// modelled: register file, instruction issue.
class VectorUnit {
 public:
  VectorUnit(std::string name, const SystolicCoreParams& core)
      : name_(std::move(name)), core_(core), jobs_(core.dma.queue_depth) {}

  [[nodiscard]] bool full() const { return jobs_.full(); }
  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  void push(const Job& job) { jobs_.push_slot() = {job, 0, 0}; }

  template <typename MayStart, typename OnComplete>
  bool step(Cycle now, SlotTable& slots, MayStart&& may_start, OnComplete&& on_complete) {
    bool changed = false;
    while (started_ > 0 && jobs_.front().end <= now) {
      const Work& work = jobs_.front();
      for (const auto& use : work.job.uses()) {
        slots.produce(use);
        slots.release(use);
      }
      on_complete(work.job, work.start, work.end);
      jobs_.pop();
      --started_;
      changed = true;
    }
    if (started_ < jobs_.size() && pipe_.free_at(now)) {
      Work& work = jobs_.at(started_);
      if (!may_start(work.job)) return changed;
      for (const auto& use : work.job.uses()) {
        if (!slots.ready(use)) return changed;
      }
      for (const auto& use : work.job.uses()) slots.acquire(use);
      const Cycle cycles = vector_cycles(core_, work.job.elements, *work.job.instruction);
      pipe_.occupy(now, cycles);
      work.start = now;
      work.end = cycles == 0 ? now : now + cycles + core_.vector->latency_cycles;
      ++started_;
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] Cycle next_event(Cycle now) const {
    Cycle next = started_ > 0 ? jobs_.front().end : kNever;
    if (started_ < jobs_.size() && !pipe_.free_at(now)) next = std::min(next, pipe_.free_from());
    return next;
  }
  [[nodiscard]] bool quiet(Cycle now) const noexcept { return started_ == 0 && pipe_.free_at(now); }
  /// Calls see(job) for each instruction that waits, oldest first.
  template <typename See>
  void for_each_job(See&& see) {
    for (std::size_t i = 0; i < jobs_.size(); ++i) see(jobs_.at(i).job);
  }
  /// An instruction is under way.
  [[nodiscard]] bool active() const noexcept { return started_ > 0; }
  /// The oldest instruction that has not started, or null.
  [[nodiscard]] const Job* next_job() const {
    return started_ < jobs_.size() ? &jobs_.at(started_).job : nullptr;
  }
  [[nodiscard]] Cycle busy_cycles() const noexcept { return pipe_.busy_cycles(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  struct Work {
    Job job;
    Cycle start = 0, end = 0;
  };
  std::string name_;
  const SystolicCoreParams& core_;
  BoundedQueue<Work> jobs_;
  std::size_t started_ = 0;
  Port pipe_;
};

}  // namespace tilewave
