// SPDX-License-Identifier: Apache-2.0
// Kernels that do what others did before, from the same state: not simulated, but entered.
#include <algorithm>
#include <utility>

#include "arch/core/systolic_core.hpp"

namespace tilewave {

namespace {

/// Entries of the timeline that are kept: of 32 bytes.
constexpr std::size_t kMostLogged = std::size_t{1} << 18U;

}  // namespace

void SystolicCore::skip_repeats(Cycle phase_cycles, StatGroup& statistics) {
  repeats_ = std::make_unique<Repeats>(program_);
  phase_cycles_ = phase_cycles;
  statistics_ = &statistics;
  timeline_.keep_log();
}

template <typename See>
void SystolicCore::for_each_job(See&& see) {
  for (DmaEngine& engine : engines_) engine.for_each_job(see);
  for (auto& unit : matrix_) unit->for_each_job(see);
  if (vector_) vector_->for_each_job(see);
}

// Nothing will happen by itself.
bool SystolicCore::quiet(Cycle now) const {
  const auto idle = [](const LinkMeter* meter) { return meter == nullptr || meter->idle(); };
  const auto ready = [](const MemoryPort* port) { return port == nullptr || port->can_send(); };
  return arrivals_.empty() && idle(meters_.dram) && idle(meters_.host) && idle(meters_.link) &&
         ready(ports_.dram) && ready(ports_.host) && ready(ports_.link) &&
         (!vector_ || vector_->quiet(now)) &&
         std::ranges::all_of(engines_, [](const DmaEngine& e) { return e.quiet(); }) &&
         std::ranges::all_of(matrix_, [&](const auto& unit) { return unit->quiet(now); });
}

// What waits in the queues are the last instructions dispatched to each, so how many there are and
// how far the front end is say which.
void SystolicCore::describe(Cycle now, Repeats::Words& words) {
  const auto add = [&](std::uint64_t value) { words.push_back(static_cast<std::int64_t>(value)); };
  words.clear();
  add(now % phase_cycles_);
  add(kernel_begin_ > now ? kernel_begin_ - now : 0);
  // Kernels whose results may still be too young for those to come.
  for (std::size_t k = done_kernels_; k-- > 0;) {
    const bool works = progress_[k].taken > 0;
    const Cycle there = progress_[k].taken + params_.read_after_write_cycles;
    if (works && there <= now) break;
    add(works ? there - now : 0);
  }
  add(dispatch_kernel_ - done_kernels_);
  add(walker_ ? 1 : 0);
  for (std::size_t k = done_kernels_; k <= dispatch_kernel_; ++k) {
    add(progress_[k].dispatched);
    add(progress_[k].completed);
  }
  std::vector<const SlotTable::Binding*> bindings;
  const auto count = [&](auto& unit) {
    std::size_t jobs = 0;
    unit.for_each_job([&](const Job& job) {
      ++jobs;
      for (const auto& use : job.uses()) bindings.push_back(&use);
    });
    add(jobs);
  };
  for (DmaEngine& engine : engines_) count(engine);
  for (auto& unit : matrix_) {
    count(*unit);
    for (const Count stage : unit->stages()) add(stage);
  }
  if (vector_) count(*vector_);
  slots_.describe(walker_ ? opened_ : std::vector<SlotTable::Opened>{}, bindings, words);
}

Cycle SystolicCore::go_on_later(Cycle now) {
  if (!repeats_) return now;
  if (timeline_.log_size() > kMostLogged) {
    repeats_->forget();
    timeline_.forget_log();
  }
  if (dispatch_kernel_ >= program_.kernels.size() || !quiet(now)) return now;
  Repeats::Words state;
  describe(now, state);
  Repeats::Moment moment{
      .kernel = done_kernels_, .now = now, .log = timeline_.log_size(), .statistics = {}};
  statistics_->values(moment.statistics);
  const auto found = repeats_->find(std::move(state), moment, dispatch_kernel_);
  if (!found) return now;
  repeat(*found, now);
  return accounted_to_;
}

void SystolicCore::repeat(const Repeats::Found& found, Cycle now) {
  const std::size_t first = found.first.kernel, period = done_kernels_ - first;
  const std::size_t kernels = found.times * period;
  const Cycle cycles = now - found.first.now, skipped = found.times * cycles;
  const auto moved = [](auto from, auto to, std::size_t by) {
    std::move_backward(from, to, to + static_cast<std::ptrdiff_t>(by));
  };
  // Of kernels that are under way, what has been done ahead goes with the state.
  const auto begin = static_cast<std::ptrdiff_t>(done_kernels_);
  const auto end = static_cast<std::ptrdiff_t>(dispatch_kernel_) + 1;
  moved(layers_.begin() + begin, layers_.begin() + end, kernels);
  moved(progress_.begin() + begin, progress_.begin() + end, kernels);
  for (std::size_t k = done_kernels_; k < done_kernels_ + kernels; ++k) {
    layers_[k] = layers_[k - period];
    layers_[k].start_cycle += cycles;
    layers_[k].end_cycle += cycles;
    progress_[k] = progress_[k - period];
    progress_[k].taken += cycles;
  }
  Count macs = 0;
  for (std::size_t k = first; k < done_kernels_; ++k) macs += layers_[k].macs;
  repeated_macs_ += found.times * macs;
  std::vector<Count> counted;
  statistics_->values(counted);
  for (std::size_t s = 0; s < counted.size(); ++s) {
    counted[s] = found.times * (counted[s] - found.first.statistics[s]);
  }
  statistics_->add(counted.data());
  timeline_.repeat(found.first.log, cycles, found.times);

  done_kernels_ += kernels;
  dispatch_kernel_ += kernels;
  kernels_repeated_ += kernels;
  accounted_to_ = now + skipped;
  kernel_begin_ += kernel_begin_ > now ? skipped : 0;
  layers_[done_kernels_].start_cycle = accounted_to_;
  for_each_job([&](Job& job) {
    job.kernel_index += static_cast<int>(kernels);
    job.kernel = &program_.kernels[static_cast<std::size_t>(job.kernel_index)];
  });
  if (walker_) {
    walker_ = std::make_unique<program::Walker>(program_.kernels[dispatch_kernel_]);
    for (Count i = 0; i < progress_[dispatch_kernel_].dispatched; ++i) walker_->next();
  }
  for (LinkMeter* meter : {meters_.dram, meters_.host, meters_.link}) {
    if (meter != nullptr) static_cast<void>(meter->take_until(accounted_to_));
  }
  repeats_->forget();
  timeline_.forget_log();
}

}  // namespace tilewave
