// SPDX-License-Identifier: Apache-2.0
#include "arch/core/matrix_sequencer.hpp"

namespace tilewave {

MatrixSequencer::MatrixSequencer(std::string name, const SystolicCoreParams& core,
                                 std::unique_ptr<ArrayModel> array)
    : name_(std::move(name)), core_(core), array_(std::move(array)), jobs_(core.dma.queue_depth) {}

void MatrixSequencer::push(const Job& job) {
  Fold& fold = jobs_.push_slot();
  fold.job = job;
  fold.empty = job.m == 0 || job.n == 0 || job.k == 0;
  fold.has_values = !fold.empty && job.kernel->values != nullptr;
  if (fold.empty) return;
  fold.shape = fold_shape(core_, job.kernel->dtype, job.m, job.n, job.k, job.first, job.last);
  if (fold.has_values) fold.values = fold_operands(job, core_.matrix.array.dataflow);
}

bool MatrixSequencer::ready(const Job& job, const SlotTable& slots, Role role) {
  for (const auto& use : job.uses()) {
    if (use.role == role && !slots.ready(use)) return false;
  }
  return true;
}

bool MatrixSequencer::uses(const Job& job, Role role) {
  for (const auto& use : job.uses()) {
    if (use.role == role) return true;
  }
  return false;
}

void MatrixSequencer::give_back(const Job& job, SlotTable& slots, Role role) {
  for (const auto& use : job.uses()) {
    if (use.role == role) slots.release(use);
  }
}

bool MatrixSequencer::finish_loads(SlotTable& slots) {
  bool changed = false;
  while (array_loads_ < array_->loads_done()) {
    ++array_loads_;
    // The fold's weights are in the array: their stage is free.
    give_back(jobs_.at(loaded_ - completed_).job, slots, Role::stationary);
    ++loaded_;
    changed = true;
  }
  return changed;
}

bool MatrixSequencer::finish_streams(SlotTable& slots) {
  bool changed = false;
  while (array_streams_ < array_->streams_done()) {
    ++array_streams_;
    const Job& job = jobs_.at(streamed_ - completed_).job;
    give_back(job, slots, Role::stream);
    if (!stationary()) give_back(job, slots, Role::stationary);
    ++streamed_;
    changed = true;
  }
  return changed;
}

const Job* MatrixSequencer::next_job() const {
  const std::size_t index = stream_started_ - completed_;
  return index < jobs_.size() ? &jobs_.at(index).job : nullptr;
}

CycleClass MatrixSequencer::waiting_for(Cycle now, const SlotTable& slots) const {
  const Job& job = *next_job();
  if (stationary() && loaded_ <= stream_started_) {
    if (array_->loading(now)) return CycleClass::weight_load;
    if (!ready(job, slots, Role::stationary)) return CycleClass::wait_weights;
    return CycleClass::fill_drain;
  }
  if (array_->loading(now)) return CycleClass::weight_load;  // a cube fills L0A and L0B
  if (!stationary() && !ready(job, slots, Role::stationary)) return CycleClass::wait_weights;
  if (!ready(job, slots, Role::stream)) return CycleClass::wait_activations;
  if (!ready(job, slots, Role::result)) return CycleClass::wait_output;
  return CycleClass::fill_drain;
}

}  // namespace tilewave
