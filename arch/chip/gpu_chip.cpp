// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/gpu_chip.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "arch/core/sm/fast_sm.hpp"
#include "sim/clock_domain.hpp"
#include "sim/diagnostics.hpp"
#include "sim/simulation_context.hpp"

namespace tilewave {

namespace {

class Uncore;

/// An SM as a module: one process, woken at the earliest cycle at which anything can happen.
class SmModule final : public sc_core::sc_module {
 public:
  SmModule(sc_core::sc_module_name name, const SmParams& sm, Count index, ClockDomain clock,
           SimulationContext& context, Uncore& uncore)
      : sc_module(name), sm_(sm, index), clock_(clock), context_(context), uncore_(uncore) {
    SC_HAS_PROCESS(SmModule);
    SC_METHOD(step);
    sensitive << wake_;
    dont_initialize();
  }
  [[nodiscard]] FastSm& sm() noexcept { return sm_; }
  /// After an answer: does what can be done now, and sets the next wake-up.
  void go_on(Cycle now);
  void wake_at(Cycle cycle) {
    const Femtoseconds when = clock_.time_of(cycle), now = context_.now();
    wake_.notify(SimulationContext::to_sc_time({when > now ? when.value - now.value : 0}));
  }
  [[nodiscard]] Count events() const noexcept { return events_; }

 private:
  void step();

  FastSm sm_;
  ClockDomain clock_;
  SimulationContext& context_;
  Uncore& uncore_;
  sc_core::sc_event wake_;
  Count events_ = 0;
};

/// L2 and DRAM, and the dispatcher of CTAs. What SMs ask for in a cycle is done in the next one, SM by
/// SM, so that it does not matter in which order they are simulated.
class Uncore final : public sc_core::sc_module {
 public:
  Uncore(sc_core::sc_module_name name, const GpuParams& gpu, const program::GpuProgram& program,
         ClockDomain clock, SimulationContext& context, const RunHooks& hooks, Timeline& timeline)
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
                 .write_bytes_per_cycle = gpu.sm.load_store.l2_write_bytes_per_cycle}) {
    SC_HAS_PROCESS(Uncore);
    SC_METHOD(step);
    sensitive << wake_;
    for (Count i = 0; i < gpu.cores; ++i) {
      sms_.push_back(std::make_unique<SmModule>(fmt::format("sm{}", i).c_str(), gpu.sm, i, clock,
                                                context, *this));
    }
  }

  /// An SM has requests or finished CTAs.
  void post(Cycle now) {
    if (woken_for_ == now + 1) return;
    woken_for_ = now + 1;
    wake_at(now + 1);
  }

  [[nodiscard]] bool finished() const { return next_kernel_ == program_.kernels.size() && !plan_; }
  [[nodiscard]] std::vector<GpuKernelRecord>& records() { return records_; }
  [[nodiscard]] const GpuMemory& memory() const { return memory_; }
  [[nodiscard]] Count events() const {
    Count sum = events_;
    for (const auto& sm : sms_) sum += sm->events();
    return sum;
  }
  [[nodiscard]] std::string describe() const {
    std::string text = fmt::format("kernel {} of {}, {} blocks to dispatch", next_kernel_,
                                   program_.kernels.size(), blocks_ - next_block_);
    for (const auto& sm : sms_) {
      if (plan_ && !sm->sm().idle()) text += "\n" + sm->sm().describe();
    }
    return text;
  }

 private:
  static constexpr Count kStepsBetweenChecks = 4096;
  /// Waves at the start that say nothing of those to come, the most that two stretches of them may
  /// differ by, and waves at the end that are simulated again.
  static constexpr std::size_t kColdWaves = 2;
  static constexpr double kSteady = 0.005;
  static constexpr Count kWavesToEnd = 2;

  void wake_at(Cycle cycle) {
    const Femtoseconds when = clock_.time_of(cycle), now = context_.now();
    wake_.notify(SimulationContext::to_sc_time({when > now ? when.value - now.value : 0}));
  }

  void step() {
    context_.guard([this] {
      const Cycle now = clock_.cycle_at_or_after(context_.now());
      ++events_;
      if (!plan_ && next_kernel_ < program_.kernels.size()) begin_kernel(now);
      if (plan_) serve(now);
      if (events_ % kStepsBetweenChecks != 0) return;
      if (hooks_.stop != nullptr && hooks_.stop->load()) throw Interrupted();
      if (hooks_.progress) hooks_.progress(records_.size(), now + ahead_);
    });
  }

  void begin_kernel(Cycle now) {
    const program::GpuKernel& kernel = program_.kernels[next_kernel_++];
    plan_ = std::make_unique<CtaPlan>(gpu_.sm, kernel);
    record_ = {};
    record_.start_cycle = now + ahead_;
    waves_.clear();
    record_.launch_cycles = kernel.kernel.launch_cycles;
    record_.occupancy = occupancy(gpu_.sm, kernel.cta);
    if (record_.occupancy.ctas == 0) {
      throw SimulationError(fmt::format("kernel \"{}\" does not fit an SM: {}", kernel.kernel.name,
                                        to_string(record_.occupancy.limit)));
    }
    before_ = memory_.counts();
    dram_busy_before_ = memory_.dram_busy_cycles();
    for (const auto& sm : sms_) sm->sm().begin_kernel(*plan_, record_.occupancy.ctas, now);
    blocks_ = kernel.kernel.blocks();
    next_block_ = 0;
    running_ = 0;
    visible_ = now;
    ready_at_ = now + kernel.kernel.launch_cycles;
    if (ready_at_ > now) wake_at(ready_at_);
  }

  void serve(Cycle now) {
    for (Count i = 0; i < sms_.size(); ++i) {
      FastSm& sm = sms_[i]->sm();
      auto& requests = sm.requests();
      if (!sm.has_news()) continue;
      const Count finished = sm.take_finished();
      running_ -= finished;
      for (const FastSm::Request& r : requests) {
        const auto answer =
            r.write ? memory_.write(now, i, r.access) : memory_.read(now, i, r.access);
        if (r.write) visible_ = std::max(visible_, answer.ready);
        sm.answer(r, answer);
      }
      requests.clear();
      for (const Count cta : sm.wants_block()) sm.give(cta, take_block(now));
      sm.wants_block().clear();
      sms_[i]->go_on(now);
    }
    if (now >= ready_at_) {
      if (next_block_ == 0) {
        for (const auto& sm : sms_) sm->sm().dispatching(now);
      }
      dispatch(now);
    }
    if (next_block_ >= blocks_ && running_ == 0) end_kernel(now);
  }

  /// CTAs go to the SMs in turn, one each, until these are full.
  void dispatch(Cycle now) {
    bool placed = next_block_ < blocks_;
    while (placed) {
      placed = false;
      for (Count i = 0; i < sms_.size() && next_block_ < blocks_; ++i) {
        if (!sms_[i]->sm().has_free_slot()) continue;
        sms_[i]->sm().start(now, *take_block(now));
        sms_[i]->wake_at(now);
        ++running_;
        ++record_.ctas;
        placed = true;
      }
    }
  }

  std::optional<Count> take_block(Cycle now) {
    if (next_block_ >= blocks_) return std::nullopt;
    const Count wave = gpu_.cores * record_.occupancy.ctas;
    if (hooks_.skip_repeats && next_block_ % wave == 0) skip_waves(now, wave);
    return next_block_++;
  }

  /// Sums over the SMs and the memory at the start of a wave of CTAs.
  struct Wave {
    Cycle start = 0;
    SmRecord sms;
    GpuMemoryCounts memory;
    double dram_busy_cycles = 0;
  };

  /// Waves in a steady state are not simulated: where two stretches of them took equally long
  /// (kSteady), all but the last ones to come take as long as these and do the same.
  void skip_waves(Cycle now, Count wave) {
    Wave at{.start = now,
            .sms = {},
            .memory = memory_.counts(),
            .dram_busy_cycles = memory_.dram_busy_cycles()};
    for (const auto& sm : sms_) at.sms += sm->sm().record_at(now);
    waves_.push_back(at);
    const std::size_t n = waves_.size();
    // The order of tiles repeats after a group of rows of them: so many waves are compared at a time.
    const auto& grid = plan_->kernel().kernel.grid;
    const Count group = std::min(plan_->kernel().cta.raster_rows, grid[1]) * grid[0];
    const std::size_t period = std::max<std::size_t>(1, ceil_div(group, wave));
    // CTAs that fetch ahead are given their first blocks at once.
    const std::size_t cold = kColdWaves + ceil_div(plan_->stages(), plan_->slabs());
    if (n < cold + 2 * period + 1) return;
    const Wave& from = waves_[n - 1 - period];
    const Cycle last = at.start - from.start;
    const Cycle before = from.start - waves_[n - 1 - 2 * period].start;
    const Cycle difference = std::max(last, before) - std::min(last, before);
    const Count waves_left = (blocks_ - next_block_) / wave;
    if (static_cast<double>(difference) > kSteady * static_cast<double>(last) ||
        waves_left <= kWavesToEnd + period) {
      return;
    }
    const Count times = (waves_left - kWavesToEnd) / period;
    skip(times * period * wave, at.sms.since(from.sms, times), times * (at.memory - from.memory),
         times * last);
    record_.dram_busy_cycles +=
        static_cast<double>(times) * (at.dram_busy_cycles - from.dram_busy_cycles);
    waves_.clear();
  }

  /// Enters blocks that are not simulated: their work and requests exactly, the rest as given.
  void skip(Count blocks, SmRecord sms, GpuMemoryCounts memory, Cycle cycles) {
    const CtaPlan::BlockWork work = plan_->work_of(next_block_, next_block_ + blocks);
    sms.macs = work.macs;
    sms.blocks = blocks;
    memory.l2_read_bytes = work.load_bytes;
    memory.l2_write_bytes = work.store_bytes;
    memory.l2_hit_bytes = work.load_bytes - std::min(work.load_bytes, memory.fill_bytes);
    record_.sms += sms;
    record_.memory += memory;
    record_.skipped_blocks += blocks;
    if (!plan_->kernel().cta.persistent) record_.ctas += blocks;
    next_block_ += blocks;
    ahead_ += cycles;
  }

  void end_kernel(Cycle now) {
    if (visible_ > now) {
      // Its last results are on their way; nothing else happens until they are there.
      const Cycle end = visible_;
      visible_ = 0;
      wake_at(end);
      return;
    }
    record_.end_cycle = now + ahead_;
    for (const auto& sm : sms_) record_.sms += sm->sm().end_kernel(now);
    record_.memory += memory_.counts() - before_;
    record_.dram_busy_cycles += memory_.dram_busy_cycles() - dram_busy_before_;
    const auto add = [&](std::size_t channel, double amount) {
      timeline_.add(channel, record_.start_cycle + record_.launch_cycles, record_.end_cycle,
                    amount);
    };
    add(GpuTimeline::tensor_cycles, static_cast<double>(record_.sms.tensor_cycles));
    add(GpuTimeline::dram_bytes,
        static_cast<double>(record_.memory.fill_bytes + record_.memory.write_back_bytes));
    add(GpuTimeline::l2_bytes,
        static_cast<double>(record_.memory.l2_read_bytes + record_.memory.l2_write_bytes));
    records_.push_back(record_);
    plan_.reset();
    if (next_kernel_ < program_.kernels.size()) wake_at(now);
  }

  const GpuParams& gpu_;
  const program::GpuProgram& program_;
  ClockDomain clock_;
  SimulationContext& context_;
  const RunHooks& hooks_;
  Timeline& timeline_;
  GpuMemory memory_;
  std::vector<std::unique_ptr<SmModule>> sms_;
  sc_core::sc_event wake_;
  Cycle woken_for_ = kNever;
  Count events_ = 0;
  // The kernel under way.
  std::size_t next_kernel_ = 0;
  std::unique_ptr<CtaPlan> plan_;
  GpuKernelRecord record_;
  GpuMemoryCounts before_;
  double dram_busy_before_ = 0;
  Count blocks_ = 0, next_block_ = 0, running_ = 0;
  Cycle ready_at_ = 0, visible_ = 0;
  std::vector<Wave> waves_;
  Cycle ahead_ = 0;  ///< of skipped waves: simulated time is that much behind
  std::vector<GpuKernelRecord> records_;
};

void SmModule::go_on(Cycle now) {
  ++events_;
  const Cycle next = sm_.step(now);
  if (next != kNever) wake_at(next);
  if (sm_.has_news()) uncore_.post(now);
}

void SmModule::step() {
  context_.guard([this] { go_on(clock_.cycle_at_or_after(context_.now())); });
}

}  // namespace

GpuRun run_on_gpu(const GpuParams& gpu, const program::GpuProgram& program, const RunHooks& hooks) {
  SimulationContext context;
  const ClockDomain clock(gpu.clock());
  Timeline timeline(GpuTimeline::count);
  Uncore uncore("uncore", gpu, program, clock, context, hooks, timeline);
  context.run();
  if (!uncore.finished()) {
    throw SimulationError("deadlock: nothing is scheduled any more\n" + uncore.describe());
  }
  GpuRun run{.kernels = std::move(uncore.records()),
             .cycles = 0,
             .timeline = std::move(timeline),
             .events = uncore.events(),
             .dirty_bytes = uncore.memory().dirty_bytes()};
  run.cycles = run.kernels.empty() ? 0 : run.kernels.back().end_cycle;
  run.timeline.cover(run.cycles);
  return run;
}

}  // namespace tilewave
