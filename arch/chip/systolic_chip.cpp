// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/systolic_chip.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arch/chip/shared_cache_module.hpp"
#include "arch/memory/dram/dram_memory.hpp"
#include "arch/memory/simple_memory.hpp"
#include "arch/memory/tlm_memory_port.hpp"
#include "sim/clock_domain.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

/// The core as a module: one process, woken at the earliest cycle at which anything can happen.
class CoreModule final : public sc_core::sc_module {
 public:
  CoreModule(sc_core::sc_module_name name, SystolicCore& core, ClockDomain clock,
             SimulationContext& context, const RunHooks& hooks)
      : sc_module(name), core_(core), clock_(clock), context_(context), hooks_(hooks) {
    SC_HAS_PROCESS(CoreModule);
    SC_METHOD(step);
    sensitive << wake_;
    core_.set_wake([this](Cycle cycle) { wake_at(cycle); });
  }

 private:
  static constexpr Count kStepsBetweenChecks = 4096;

  void step() {
    context_.guard([this] {
      const Cycle next = core_.step(clock_.cycle_at_or_after(context_.now()));
      if (next != kNever) wake_at(next);
      if (++steps_ % kStepsBetweenChecks != 0) return;
      if (hooks_.stop != nullptr && hooks_.stop->load()) throw Interrupted();
      if (hooks_.progress) {
        hooks_.progress(core_.kernels_done(), clock_.cycle_at_or_after(context_.now()));
      }
    });
  }
  void wake_at(Cycle cycle) {
    const Femtoseconds when = clock_.time_of(cycle), now = context_.now();
    wake_.notify(SimulationContext::to_sc_time({when > now ? when.value - now.value : 0}));
  }

  SystolicCore& core_;
  ClockDomain clock_;
  SimulationContext& context_;
  const RunHooks& hooks_;
  sc_core::sc_event wake_;
  Count steps_ = 0;
};

/// Requests that a memory without controllers holds: no fewer than an L2 may have under way, for
/// only bandwidth and latency are to limit it.
std::size_t dram_queue_depth(const ChipParams& chip) {
  const std::size_t depth = SimpleMemoryParams{}.queue_depth;
  return chip.l2 ? std::max(depth, SharedCache::most_outstanding(chip.l2->cache)) : depth;
}

Femtoseconds from_ns(double ns) { return {static_cast<std::uint64_t>(std::llround(ns * 1e6))}; }

}  // namespace

ChipRun run_on_chip(const ChipParams& chip, const program::Program& program, Fidelity fidelity,
                    const RunHooks& hooks) {
  SimulationContext context;
  const ClockDomain clock(chip.clock());
  StatGroup root("chip");

  TlmMemoryPort dram_port("dram_port", clock, context);
  std::unique_ptr<SimpleMemory> simple_dram;
  std::unique_ptr<DramMemory> dram;
  std::unique_ptr<sc_core::sc_module> foreign_dram;
  if (hooks.dram) {
    foreign_dram = hooks.dram(dram_port.socket);
  } else if (chip.dram.controllers) {
    dram = std::make_unique<DramMemory>(
        "dram", *chip.dram.controllers,
        DramMemory::Options{
            .pace = fidelity == Fidelity::fast ? DramPace::run_ahead : DramPace::burst_by_burst,
            .requests = chip.dram.requests,
            .latency = from_ns(chip.dram.latency_ns)},
        context, root);
    dram_port.socket.bind(dram->socket);
  } else {
    simple_dram =
        std::make_unique<SimpleMemory>("dram",
                                       SimpleMemoryParams{.ideal = chip.dram.ideal,
                                                          .bandwidth = chip.dram.bandwidth,
                                                          .latency = from_ns(chip.dram.latency_ns),
                                                          .queue_depth = dram_queue_depth(chip)},
                                       context, root);
    dram_port.socket.bind(simple_dram->socket);
    dram_port.ignore_addresses();
  }
  LinkMeter dram_meter(clock), host_meter(clock);
  if (dram) dram->attach(dram_meter);
  if (simple_dram) simple_dram->attach(dram_meter);
  std::unique_ptr<TlmMemoryPort> host_port;
  std::unique_ptr<SimpleMemory> host;
  if (chip.host) {
    host_port = std::make_unique<TlmMemoryPort>("host_port", clock, context);
    host =
        std::make_unique<SimpleMemory>("host",
                                       SimpleMemoryParams{.bandwidth = chip.host->bandwidth,
                                                          .latency = from_ns(chip.host->latency_ns),
                                                          .duplex = true},
                                       context, root);
    host_port->socket.bind(host->socket);
    host_port->ignore_addresses();
    host->attach(host_meter);
  }

  std::function<DramCounts(Cycle)> dram_counts;
  if (dram) dram_counts = [&](Cycle now) { return dram->counts_at(clock.time_of(now)); };

  std::unique_ptr<SharedCache> l2;
  std::unique_ptr<SharedCacheModule> l2_module;
  std::function<SharedCacheCounts(Cycle)> take_l2;
  if (chip.l2) {
    l2 = std::make_unique<SharedCache>(
        chip.l2->cache, chip.l2->interconnect, dram_port,
        [&] { return clock.cycle_at_or_after(context.now()); }, root);
    l2_module = std::make_unique<SharedCacheModule>("l2", *l2, clock, context, hooks.stop);
    dram_port.connect(*l2);
    take_l2 = [&](Cycle now) { return l2->take_until(now); };
  }

  const EventBus silent;
  SystolicCore core(
      "core0", chip.core, fidelity, program,
      {.dram = l2 ? static_cast<MemoryPort*>(l2.get()) : &dram_port, .host = host_port.get()},
      {.dram = &dram_meter, .host = &host_meter, .dram_counts = dram_counts, .take_l2 = take_l2},
      hooks.events != nullptr ? *hooks.events : silent, root);
  if (l2) {
    l2->connect(core);
  } else {
    dram_port.connect(core);
  }
  if (host_port) host_port->connect(core);
  // Where addresses mean something the same kernel finds another memory each time; a listener is to
  // hear of all that happens; values have to be computed.
  const bool functional = std::ranges::any_of(
      program.kernels, [](const program::Kernel& kernel) { return kernel.values != nullptr; });
  if (hooks.skip_repeats && simple_dram && !l2 && fidelity == Fidelity::fast && !functional &&
      (hooks.events == nullptr || !hooks.events->has_listeners())) {
    constexpr std::uint64_t kFsPerMs = 1'000'000'000'000;  // 1 / kHz = 1 ms
    const std::uint64_t khz = chip.clock().khz;
    core.skip_repeats(khz / std::gcd(khz, kFsPerMs), root);
  }
  CoreModule module("core", core, clock, context, hooks);

  context.run();
  if (!core.finished()) {
    throw SimulationError("deadlock: nothing is scheduled any more\n" + core.describe_waits() +
                          (l2 ? l2->describe_waits() : ""));
  }
  core.check_drained();
  if (l2) l2->check_drained();
  if (dram) dram->check_drained();
  for (const SimpleMemory* memory : {simple_dram.get(), host.get()}) {
    if (memory != nullptr && memory->requests() != memory->responses()) {
      throw SimulationError("law violated: every memory request is answered once");
    }
  }
  const Cycle cycles = core.layers().empty() ? 0 : core.layers().back().end_cycle;
  Timeline timeline = core.timeline();
  timeline.cover(cycles);
  return {.layers = core.layers(),
          .cycles = cycles,
          .array_macs = core.array_macs(),
          .timeline = std::move(timeline),
          .statistics = root.to_json(),
          .events = core.events_handled(),
          .replayed_bursts = dram ? dram->replayed_bursts() : 0,
          .kernels_repeated = core.kernels_repeated()};
}

}  // namespace tilewave
