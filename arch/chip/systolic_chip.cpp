// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/systolic_chip.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "arch/chip/chip_memory.hpp"
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
  void wake_at(Cycle cycle) { context_.notify_at(wake_, clock_.time_of(cycle)); }

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

  SystolicCore& core_;
  ClockDomain clock_;
  SimulationContext& context_;
  const RunHooks& hooks_;
  sc_core::sc_event wake_;
  Count steps_ = 0;
};

/// One record a kernel, of all cores together.
std::vector<LayerRecord> merged(const std::vector<std::unique_ptr<SystolicCore>>& cores) {
  if (cores.size() == 1) return cores.front()->layers();
  std::vector<LayerRecord> layers;
  std::vector<const LayerRecord*> of_kernel(cores.size());
  for (std::size_t k = 0; k < cores.front()->layers().size(); ++k) {
    for (std::size_t c = 0; c < cores.size(); ++c) of_kernel[c] = &cores[c]->layers()[k];
    layers.push_back(of_all_cores(of_kernel));
  }
  return layers;
}

/// Only where the core's own state says all: one core, memories to which addresses mean nothing (else
/// the same kernel finds another memory each time), no path or latency with a past. A listener is to
/// hear of all that happens; values have to be computed.
void skip_repeats(const ChipParams& chip, const program::Program& program, Fidelity fidelity,
                  const RunHooks& hooks, SystolicCore& core, StatGroup& statistics) {
  const bool functional = std::ranges::any_of(
      program.kernels, [](const program::Kernel& kernel) { return kernel.values != nullptr; });
  const DmaParams& dma = chip.core.dma;
  if (chip.cores > 1 || chip.dram.controllers || hooks.dram || chip.l2 || functional ||
      fidelity != Fidelity::fast || dma.read_bytes_per_cycle + dma.write_bytes_per_cycle > 0 ||
      (hooks.events != nullptr && hooks.events->has_listeners())) {
    return;
  }
  constexpr std::uint64_t kFsPerMs = 1'000'000'000'000;  // 1 / kHz = 1 ms
  const std::uint64_t khz = chip.clock().khz;
  core.skip_repeats(khz / std::gcd(khz, kFsPerMs), statistics);
}

}  // namespace

ChipRun run_on_chip(const ChipParams& chip, const program::Program& program, Fidelity fidelity,
                    const RunHooks& hooks) {
  SimulationContext context;
  const ClockDomain clock(chip.clock());
  StatGroup root("chip");
  ChipMemory memory(chip, fidelity, hooks, clock, context, root);

  const EventBus silent;
  const EventBus& events = hooks.events != nullptr ? *hooks.events : silent;
  Timeline timeline(kTimelineChannels);
  KernelBarrier barrier(chip.cores);
  std::vector<std::unique_ptr<SystolicCore>> cores;
  std::vector<std::unique_ptr<CoreModule>> modules;
  const RunHooks no_hooks{.events = nullptr, .stop = hooks.stop, .progress = {}};
  for (std::size_t c = 0; c < chip.cores; ++c) {
    // What the links carry is counted once, by the first core; all end a kernel in the same cycle.
    auto meters = c == 0 ? memory.meters(timeline) : SystolicCore::Meters{};
    meters.has_l2 = chip.l2.has_value();
    const SystolicCore::Place place{.index = c, .barrier = chip.cores > 1 ? &barrier : nullptr};
    cores.push_back(std::make_unique<SystolicCore>(fmt::format("core{}", c), place, chip.core,
                                                   fidelity, program, memory.ports(c), meters,
                                                   timeline, events, root));
    memory.connect(c, *cores.back());
    modules.push_back(
        std::make_unique<CoreModule>(chip.cores == 1 ? "core" : fmt::format("core{}", c).c_str(),
                                     *cores.back(), clock, context, c == 0 ? hooks : no_hooks));
    barrier.set_wake(c, [&module = *modules.back()](Cycle cycle) { module.wake_at(cycle); });
  }
  if (hooks.skip_repeats) skip_repeats(chip, program, fidelity, hooks, *cores.front(), root);

  context.run();
  if (!cores.front()->finished()) {
    std::string waits;
    for (const auto& core : cores) waits += "\n" + core->describe_waits();
    throw SimulationError("deadlock: nothing is scheduled any more" + waits +
                          memory.describe_waits());
  }
  Count array_macs = 0, handled = 0;
  for (const auto& core : cores) {
    core->check_drained();
    array_macs += core->array_macs();
    handled += core->events_handled();
  }
  memory.check_drained();
  std::vector<LayerRecord> layers = merged(cores);
  const Cycle cycles = layers.empty() ? 0 : layers.back().end_cycle;
  timeline.cover(cycles);
  return {.layers = std::move(layers),
          .cycles = cycles,
          .array_macs = array_macs,
          .timeline = std::move(timeline),
          .statistics = root.to_json(),
          .events = handled,
          .replayed_bursts = memory.replayed_bursts(),
          .kernels_repeated = cores.front()->kernels_repeated()};
}

}  // namespace tilewave
