// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/gpu_uncore.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "arch/core/sm/detailed/detailed_sm.hpp"
#include "arch/core/sm/fast_sm.hpp"
#include "arch/core/systolic_core.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {
constexpr Count kStepsBetweenChecks = 4096;

std::unique_ptr<Sm> make_sm(const SmParams& sm, Count index, Fidelity fidelity,
                            const EventBus* events) {
  if (fidelity == Fidelity::fast) return std::make_unique<FastSm>(sm, index);
  auto detailed = std::make_unique<DetailedSm>(sm, index);
  // A trace shows the warps of one SM.
  if (index == 0 && events != nullptr && events->has_listeners()) detailed->trace(*events);
  return detailed;
}
}  // namespace

GpuUncore::GpuUncore(sc_core::sc_module_name name, const GpuParams& gpu,
                     const program::GpuProgram& program, ClockDomain clock,
                     SimulationContext& context, const RunHooks& hooks, Timeline& timeline,
                     Fidelity fidelity)
    : sc_module(name),
      gpu_(gpu),
      program_(program),
      clock_(clock),
      context_(context),
      hooks_(hooks),
      timeline_(timeline),
      memory_(gpu.l2,
              {.bytes_per_cycle = gpu.dram_bytes_per_cycle(),
               .latency_cycles = gpu.dram.latency_ns * gpu.clock().ghz()},
              gpu.cores,
              {.read_bytes_per_cycle = gpu.sm.load_store.l2_read_bytes_per_cycle,
               .write_bytes_per_cycle = gpu.sm.load_store.l2_write_bytes_per_cycle},
              {.bytes_per_cycle = gpu.link_bytes_per_cycle(),
               .latency_cycles = gpu.link_latency_cycles()}),
      news_of_(gpu.cores),
      cta_trace_(hooks.events, gpu.cores) {
  if (hooks.skip_repeats && fidelity == Fidelity::fast) replays_.emplace(program);
  SC_HAS_PROCESS(GpuUncore);
  SC_METHOD(step);
  sensitive << wake_;
  for (Count i = 0; i < gpu.cores; ++i) {
    const auto on_news = [this, i](Cycle now) {
      news_of_.insert(i);
      news_at_ = now + 1;
      context_.notify_at(wake_, clock_.time_of(news_at_));
    };
    sms_.push_back(std::make_unique<SmModule>(fmt::format("sm{}", i).c_str(),
                                              make_sm(gpu.sm, i, fidelity, hooks.events), clock,
                                              context, on_news));
  }
}

Count GpuUncore::events() const {
  Count sum = events_;
  for (const auto& sm : sms_) sum += sm->events();
  return sum;
}

std::string GpuUncore::describe() const {
  std::string text = fmt::format("kernel {} of {}, {} blocks to dispatch", next_kernel_,
                                 program_.kernels.size(), blocks_ - next_block_);
  for (const auto& sm : sms_) {
    if (plan_ && !sm->sm().idle()) text += "\n" + sm->sm().describe();
  }
  return text;
}

void GpuUncore::step() {
  context_.guard([this] {
    const Cycle now = clock_.cycle_at_or_after(context_.now());
    ++events_;
    if (!plan_ && next_kernel_ < program_.kernels.size()) begin_kernel(now);
    if (plan_) serve(now);
    arm(now);
    if (events_ % kStepsBetweenChecks != 0) return;
    if (hooks_.stop != nullptr && hooks_.stop->load()) throw Interrupted();
    if (hooks_.progress) hooks_.progress(records_.size(), now + ahead_);
  });
}

/// Wakes when there is more to do; an earlier notification may have taken the place of a later one.
void GpuUncore::arm(Cycle now) {
  Cycle next = news_at_ > now ? news_at_ : kNever;
  if (plan_ && now < ready_at_) next = std::min(next, ready_at_);
  if (plan_ && all_done()) next = std::min(next, visible_);
  if (!plan_ && next_kernel_ < program_.kernels.size()) next = now;
  if (next != kNever) context_.notify_at(wake_, clock_.time_of(next));
}

void GpuUncore::begin_kernel(Cycle now) {
  const program::GpuKernel& kernel = program_.kernels[next_kernel_++];
  memory_.begin_at(now);
  if (replays_) {
    if (const auto* known = replays_->begin(next_kernel_ - 1, memory_)) return enter(*known, now);
  }
  plan_ = std::make_unique<CtaPlan>(gpu_.sm, kernel);
  record_ = {};
  record_.start_cycle = now + ahead_;
  record_.launch_cycles = kernel.kernel.launch_cycles;
  record_.occupancy = occupancy(gpu_.sm, kernel.cta);
  const Count ctas = record_.occupancy.ctas;
  if (ctas == 0) {
    throw SimulationError(fmt::format("kernel \"{}\" does not fit an SM: {}", kernel.kernel.name,
                                      to_string(record_.occupancy.limit)));
  }
  before_ = memory_.counts();
  for (const auto& sm : sms_) sm->sm().begin_kernel(*plan_, ctas, now);
  free_slots_.assign(sms_.size(), ctas);
  all_free_slots_ = sms_.size() * ctas;
  waves_.begin(*plan_, gpu_.cores * ctas);
  blocks_ = kernel.kernel.blocks();
  next_block_ = 0;
  running_ = 0;
  visible_ = now;
  dispatching_ = false;
  ready_at_ = now + kernel.kernel.launch_cycles;
}

/// Requests of a cycle: the first of each SM, then the second, and so on, so that none is served all it asks
/// for before another gets its first.
void GpuUncore::answer_requests(Cycle now) {
  bool more = true;
  for (std::size_t n = 0; more; ++n) {
    more = false;
    news_of_.each([&](std::size_t i) {
      Sm& sm = sms_[i]->sm();
      const auto& requests = sm.news_before(now).requests;
      if (n >= requests.size()) return;
      more = more || n + 1 < requests.size();
      const SmRequest& r = requests[n];
      const auto answer =
          r.write ? memory_.write(now, i, r.access) : memory_.read(now, i, r.access);
      if (r.write) visible_ = std::max(visible_, answer.ready);
      sm.answer(r, answer);
    });
  }
}

void GpuUncore::serve(Cycle now) {
  answer_requests(now);
  news_of_.each([&](std::size_t i) {
    Sm& sm = sms_[i]->sm();
    SmNews& news = sm.news_before(now);
    if (news.empty()) return;  // what it has is of this cycle
    news_of_.erase(i);
    const Count finished = news.finished.size();
    running_ -= finished;
    free_slots_[i] += finished;
    all_free_slots_ += finished;
    for (const Count block : news.finished) {
      cta_trace_.end(i, block, now + ahead_, plan_->kernel().kernel);
    }
    for (const Count cta : news.wants_block) sm.give(cta, take_block(now));
    news.clear();
    sms_[i]->go_on(now);
  });
  if (now >= ready_at_) dispatch(now);
  if (all_done() && visible_ <= now) end_kernel(now);
}

/// CTAs go to the SMs in turn, one each, until these are full.
void GpuUncore::dispatch(Cycle now) {
  if (!std::exchange(dispatching_, true)) {
    for (const auto& sm : sms_) sm->sm().dispatching(now);
  }
  bool placed = true;
  while (placed && next_block_ < blocks_ && all_free_slots_ > 0) {
    placed = false;
    for (Count i = 0; i < sms_.size() && next_block_ < blocks_; ++i) {
      if (free_slots_[i] == 0) continue;
      const Count block = *take_block(now);
      cta_trace_.begin(i, block, now + ahead_);
      sms_[i]->sm().start(now, block);
      sms_[i]->wake_at(now);
      --free_slots_[i];
      --all_free_slots_;
      ++running_;
      ++record_.ctas;
      placed = true;
    }
  }
}

std::optional<Count> GpuUncore::take_block(Cycle now) {
  if (next_block_ >= blocks_) return std::nullopt;
  const Count wave = gpu_.cores * record_.occupancy.ctas;
  if (hooks_.skip_repeats && next_block_ % wave == 0) {
    SteadyWaves::Sums sums{.start = now,
                           .sms = {},
                           .memory = memory_.counts(),
                           .dram_busy_cycles = memory_.dram_busy_cycles()};
    for (const auto& sm : sms_) sums.sms += sm->sm().record_at(now);
    if (const auto found = waves_.at_wave(sums, next_block_)) skip(now, *found);
  }
  return next_block_++;
}

/// Enters waves that are not simulated: their work and requests exactly, the rest as found.
void GpuUncore::skip(Cycle now, const SteadyWaves::Skip& skip) {
  const Count blocks = skip.blocks;
  // The DRAM cannot move what they need in less.
  const auto busy = static_cast<Cycle>(std::ceil(skip.dram_busy_cycles));
  const Cycle more = busy > skip.cycles ? busy - skip.cycles : 0;
  const CtaPlan::BlockWork work = plan_->work_of(next_block_, next_block_ + blocks);
  SmRecord sms = skip.sms;
  sms.breakdown[static_cast<std::size_t>(SmCycle::wait_dram)] += more * gpu_.cores;
  sms.macs = work.macs;
  sms.blocks = blocks;
  GpuMemoryCounts memory = skip.memory;
  memory.l2_read_bytes = work.load_bytes;
  memory.l2_write_bytes = work.store_bytes;
  memory.chip_link_bytes = work.link_bytes;
  memory.l2_hit_bytes = work.load_bytes - std::min(work.load_bytes, memory.fill_bytes);
  record_.sms += sms;
  record_.memory += memory;
  record_.dram_busy_cycles += skip.dram_busy_cycles;
  record_.skipped_blocks += blocks;
  if (!plan_->kernel().cta.persistent) record_.ctas += blocks;
  next_block_ += blocks;
  cta_trace_.skip(blocks, now + ahead_, skip.cycles + more, plan_->kernel().kernel);
  ahead_ += skip.cycles + more;
}

/// Enters a kernel that is to run `times` times, all as the first.
void GpuUncore::repeat(Count times) {
  if (times == 1) return;
  const Cycle once = record_.cycles();
  ahead_ += (times - 1) * once;
  record_.end_cycle += (times - 1) * once;
  record_.times = times;
  record_.sms = record_.sms.since({}, times);
  record_.memory = times * record_.memory;
  record_.dram_busy_cycles *= static_cast<double>(times);
  record_.launch_cycles *= times;
  record_.ctas *= times;
  record_.skipped_blocks *= times;
}

void GpuUncore::end_kernel(Cycle now) {
  record_.end_cycle = now + ahead_;
  for (const auto& sm : sms_) record_.sms += sm->sm().end_kernel(now);
  record_.memory += memory_.counts() - before_;
  record_.dram_busy_cycles += memory_.dram_busy_cycles();
  repeat(program_.kernels[next_kernel_ - 1].times);
  if (replays_) {
    memory_.begin_at(now);
    replays_->end(record_, memory_);
  }
  plan_.reset();
  publish();
}

/// A kernel that does what one before it did, and is not simulated.
void GpuUncore::enter(const GpuKernelRecord& record, Cycle now) {
  ++kernels_repeated_;
  const Cycle cycles = record.cycles();
  record_ = record;
  record_.start_cycle = now + ahead_;
  record_.end_cycle = record_.start_cycle + cycles;
  const program::Kernel& kernel = program_.kernels[next_kernel_ - 1].kernel;
  cta_trace_.skip(kernel.blocks() * record.times, record_.start_cycle, cycles, kernel);
  ahead_ += cycles;
  publish();
}

/// The kernel that ended last goes into the timeline, the trace and the records.
void GpuUncore::publish() {
  const Cycle begin = record_.start_cycle + record_.launch_cycles / record_.times;
  const auto add = [&](std::size_t channel, double amount) {
    timeline_.add(channel, begin, record_.end_cycle, amount);
  };
  add(GpuTimeline::tensor_cycles, static_cast<double>(record_.sms.tensor_cycles));
  add(GpuTimeline::dram_bytes,
      static_cast<double>(record_.memory.fill_bytes + record_.memory.write_back_bytes));
  add(GpuTimeline::l2_bytes,
      static_cast<double>(record_.memory.l2_read_bytes + record_.memory.l2_write_bytes));
  if (hooks_.events != nullptr && hooks_.events->has_listeners()) {
    const program::Kernel& kernel = program_.kernels[next_kernel_ - 1].kernel;
    hooks_.events->slice("launch", kernel.name, kernel.layer, record_.start_cycle, begin);
    hooks_.events->slice("kernels", kernel.description, kernel.layer, begin, record_.end_cycle);
  }
  records_.push_back(record_);
}

}  // namespace tilewave
