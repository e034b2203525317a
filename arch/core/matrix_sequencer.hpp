// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>

#include "arch/core/job.hpp"
#include "arch/core/layer_record.hpp"
#include "arch/core/systolic_core_params.hpp"
#include "arch/matrix/array_model.hpp"
#include "sim/resources.hpp"

namespace tilewave {

/// Drives one systolic array: takes folds in order, loads the stationary operand of the next one as
/// early as the array and the weight slot allow, starts its stream when the moving operand and the
/// result stage are there, gives slots back as the array reports. The array decides all timing
/// (ArrayModel); fast and detailed differ in the array only. Results take a fixed time from its edge
/// into the accumulators, one fold's behind another's.
class MatrixSequencer {
 public:
  MatrixSequencer(std::string name, const SystolicCoreParams& core,
                  std::unique_ptr<ArrayModel> array);

  [[nodiscard]] bool full() const { return jobs_.full(); }
  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  void push(const Job& job);

  void advance(Cycle now) { array_->advance(now); }
  [[nodiscard]] Cycle next_event(Cycle now) const {
    const Cycle next = array_->next_event(now);
    return leaving_.empty() ? next : std::min(next, leaving_.front());
  }

  /// Starts what can start and reports what has ended; true if anything changed.
  /// `may_start(job)`: earlier kernels allow it; `on_stream(job, fold, now)` when a fold begins to
  /// stream; `on_complete(job, stream_start, now)` when its results are in the accumulators.
  template <typename MayStart, typename OnStream, typename OnComplete>
  bool step(Cycle now, SlotTable& slots, MayStart&& may_start, OnStream&& on_stream,
            OnComplete&& on_complete);

  [[nodiscard]] bool streaming(Cycle now) const { return array_->streaming(now); }
  [[nodiscard]] bool in_flight(Cycle now) const {
    return array_->in_flight(now) || !leaving_.empty();
  }
  [[nodiscard]] Count macs_done() const { return array_->macs_done(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Nothing moves in the array.
  [[nodiscard]] bool quiet(Cycle now) const {
    return array_->next_event(now) == kNever && !array_->loading(now) && !array_->streaming(now) &&
           !array_->in_flight(now) && array_loads_ == array_->loads_done() &&
           array_streams_ == array_->streams_done() && array_folds_ == array_->folds_done() &&
           leaving_.empty();
  }
  /// How far the folds in the queue have come.
  [[nodiscard]] std::array<Count, 4> stages() const noexcept {
    return {load_started_ - completed_, loaded_ - completed_, stream_started_ - completed_,
            streamed_ - completed_};
  }
  /// Calls see(job) for each fold in the queue, oldest first.
  template <typename See>
  void for_each_job(See&& see) {
    for (std::size_t i = 0; i < jobs_.size(); ++i) see(jobs_.at(i).job);
  }

  /// The oldest fold that does not stream yet, or null.
  [[nodiscard]] const Job* next_job() const;
  /// Why it does not (it may run as far as earlier kernels go).
  [[nodiscard]] CycleClass waiting_for(Cycle now, const SlotTable& slots) const;

 private:
  struct Fold {
    Job job;
    FoldShape shape;
    FoldValues values;
    bool has_values = false;
    bool empty = false;  ///< an edge copy without work: takes no time
    Cycle stream_start = 0;
  };
  using Role = program::SlotUse::Role;

  [[nodiscard]] static bool ready(const Job& job, const SlotTable& slots, Role role);
  /// An operand that comes through a slot carries its own dependence; one that is resident on chip
  /// is there when the earlier kernels are complete.
  [[nodiscard]] static bool uses(const Job& job, Role role);
  static void give_back(const Job& job, SlotTable& slots, Role role);
  [[nodiscard]] bool stationary() const {
    return core_.matrix.array.dataflow != Dataflow::output_stationary;
  }
  bool finish_loads(SlotTable& slots);
  bool finish_streams(SlotTable& slots);
  [[nodiscard]] FoldValues* values_of(Fold& fold) {
    return fold.has_values ? &fold.values : nullptr;
  }

  std::string name_;
  const SystolicCoreParams& core_;
  std::unique_ptr<ArrayModel> array_;
  BoundedQueue<Fold> jobs_;
  // Folds, counted from the start of the run; the queue's front is number `completed_`. Empty folds
  // do not reach the array, hence `skipped_`: the array's own counts run behind by so many.
  Count completed_ = 0;
  Count load_started_ = 0, loaded_ = 0;
  Count stream_started_ = 0, streamed_ = 0;
  Count array_loads_ = 0, array_streams_ = 0, array_folds_ = 0;
  std::deque<Cycle> leaving_;  // when results of folds that have left the array are there
};

/// Cuts the operands of a fold out of the kernel's matrices.
[[nodiscard]] FoldValues fold_operands(const Job& job, Dataflow dataflow);
/// Adds a fold's result to the kernel's result matrix (the accumulator memory).
void accumulate_result(const Job& job, Dataflow dataflow, const FoldValues& values);

template <typename MayStart, typename OnStream, typename OnComplete>
bool MatrixSequencer::step(Cycle now, SlotTable& slots, MayStart&& may_start, OnStream&& on_stream,
                           OnComplete&& on_complete) {
  bool changed = finish_loads(slots) | finish_streams(slots);
  for (; array_folds_ < array_->folds_done(); ++array_folds_) {
    leaving_.push_back(now + core_.matrix.result_latency_cycles);
  }

  // Completions, in order.
  while (!jobs_.empty()) {
    Fold& fold = jobs_.front();
    if (fold.empty) {
      if (!may_start(fold.job) || !ready(fold.job, slots, Role::stationary) ||
          !ready(fold.job, slots, Role::stream) || !ready(fold.job, slots, Role::result)) {
        break;
      }
      for (const auto& use : fold.job.uses()) {
        slots.acquire(use);
        slots.produce(use);
        slots.release(use);
      }
      ++load_started_, ++loaded_, ++stream_started_, ++streamed_;
    } else {
      if (leaving_.empty() || leaving_.front() > now) break;
      leaving_.pop_front();
      if (fold.has_values) accumulate_result(fold.job, core_.matrix.array.dataflow, fold.values);
      for (const auto& use : fold.job.uses()) {
        if (use.role == Role::result) {
          slots.produce(use);
          slots.release(use);
        }
      }
    }
    on_complete(fold.job, fold.stream_start, now);
    jobs_.pop();
    ++completed_;
    changed = true;
  }

  // The next stationary operand.
  if (stationary() && load_started_ - completed_ < jobs_.size()) {
    Fold& fold = jobs_.at(load_started_ - completed_);
    if (!fold.empty && ready(fold.job, slots, Role::stationary) && array_->can_load(now) &&
        (uses(fold.job, Role::stationary) || may_start(fold.job))) {
      array_->start_load(now, fold.shape, values_of(fold));
      ++load_started_;
      changed = true;
    }
  }

  // The next stream.
  if (stream_started_ - completed_ < jobs_.size() && (!stationary() || stream_started_ < loaded_)) {
    Fold& fold = jobs_.at(stream_started_ - completed_);
    if (!fold.empty && array_->can_stream(now, fold.shape) &&
        ready(fold.job, slots, Role::stream) && ready(fold.job, slots, Role::result) &&
        (stationary() || ready(fold.job, slots, Role::stationary)) && may_start(fold.job)) {
      for (const auto& use : fold.job.uses()) {
        if (use.role == Role::result) slots.acquire(use);
      }
      fold.stream_start = now;
      array_->start_stream(now, fold.shape, values_of(fold));
      on_stream(fold.job, fold.shape, now);
      ++stream_started_;
      changed = true;
    }
  }
  return changed;
}

}  // namespace tilewave
