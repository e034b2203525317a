// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/chip_memory.hpp"

#include <algorithm>
#include <cmath>

#include "sim/clock_domain.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

/// Requests that a memory without controllers holds: no fewer than an L2 may have under way, for
/// only bandwidth and latency are to limit it.
std::size_t dram_queue_depth(const ChipParams& chip) {
  const std::size_t depth = SimpleMemoryParams{}.queue_depth * chip.cores;
  return chip.l2 ? std::max(depth, SharedCache::most_outstanding(chip.l2->cache)) : depth;
}

Femtoseconds from_ns(double ns) { return {static_cast<std::uint64_t>(std::llround(ns * 1e6))}; }

}  // namespace

ChipMemory::ChipMemory(const ChipParams& chip, Fidelity fidelity, const RunHooks& hooks,
                       ClockDomain clock, SimulationContext& context, StatGroup& root)
    : chip_(chip),
      clock_(clock),
      context_(context),
      dram_port_("dram_port", clock, context),
      dram_meter_(clock),
      host_meter_(clock),
      link_meter_(clock) {
  build_dram(fidelity, hooks, root);
  if (chip.host) build_host(root);
  if (chip.links) build_link(root);
  if (chip.l2) build_l2(hooks, root);
  if (chip.cores == 1) return;
  // An L2 has a port for each.
  if (!l2_) {
    shared_memory_ =
        std::make_unique<SharedPort>("shared_memory", dram_port_, chip.cores, clock, context);
    dram_port_.connect(*shared_memory_);
  }
  const auto share = [&](const char* name, const auto& port, auto& shared) {
    if (!port) return;
    shared = std::make_unique<SharedPort>(name, *port, chip.cores, clock, context);
    port->connect(*shared);
  };
  share("shared_host", host_port_, shared_host_);
  share("shared_link", link_port_, shared_link_);
}

void ChipMemory::build_dram(Fidelity fidelity, const RunHooks& hooks, StatGroup& root) {
  const MainMemoryParams& params = chip_.dram;
  if (hooks.dram) {
    foreign_dram_ = hooks.dram(dram_port_.socket);
    return;
  }
  if (params.controllers) {
    const DramPace pace =
        fidelity == Fidelity::fast ? DramPace::run_ahead : DramPace::burst_by_burst;
    const DramMemory::Options options{
        .pace = pace, .requests = params.requests, .latency = from_ns(params.latency_ns)};
    dram_ = std::make_unique<DramMemory>("dram", *params.controllers, options, context_, root);
    dram_port_.socket.bind(dram_->socket);
    dram_->attach(dram_meter_);
    return;
  }
  const SimpleMemoryParams simple{.ideal = params.ideal,
                                  .bandwidth = params.bandwidth,
                                  .latency = from_ns(params.latency_ns),
                                  .queue_depth = dram_queue_depth(chip_)};
  simple_dram_ = std::make_unique<SimpleMemory>("dram", simple, context_, root);
  dram_port_.socket.bind(simple_dram_->socket);
  dram_port_.ignore_addresses();
  simple_dram_->attach(dram_meter_);
}

void ChipMemory::build_host(StatGroup& root) {
  host_port_ = std::make_unique<TlmMemoryPort>("host_port", clock_, context_);
  const SimpleMemoryParams link{.bandwidth = chip_.host->bandwidth,
                                .latency = from_ns(chip_.host->latency_ns),
                                .duplex = true};
  host_ = std::make_unique<SimpleMemory>("host", link, context_, root);
  host_port_->socket.bind(host_->socket);
  host_port_->ignore_addresses();
  host_->attach(host_meter_);
}

void ChipMemory::build_link(StatGroup& root) {
  link_port_ = std::make_unique<TlmMemoryPort>("link_port", clock_, context_);
  // What a DMA engine has under way is on the link, not in a queue before it.
  const SimpleMemoryParams link{
      .bandwidth = chip_.links->ring_bandwidth(),
      .latency = from_ns(chip_.links->latency_ns),
      .queue_depth = std::max<std::size_t>(SimpleMemoryParams{}.queue_depth,
                                           chip_.cores * chip_.core.dma.outstanding)};
  link_ = std::make_unique<SimpleMemory>("link", link, context_, root);
  link_port_->socket.bind(link_->socket);
  link_port_->ignore_addresses();
  link_->attach(link_meter_);
}

void ChipMemory::build_l2(const RunHooks& hooks, StatGroup& root) {
  l2_ = std::make_unique<SharedCache>(
      chip_.l2->cache, chip_.l2->interconnect, chip_.cores, dram_port_,
      [this] { return clock_.cycle_at_or_after(context_.now()); }, root);
  l2_module_ = std::make_unique<SharedCacheModule>("l2", *l2_, clock_, context_, hooks.stop);
  dram_port_.connect(*l2_);
}

DmaEngine::Ports ChipMemory::ports(std::size_t index) {
  const auto of = [&](MemoryPort* own, const auto& shared) {
    return shared ? &shared->port(index) : own;
  };
  return {.dram = l2_ ? &l2_->port(index) : of(&dram_port_, shared_memory_),
          .host = of(host_port_.get(), shared_host_),
          .link = of(link_port_.get(), shared_link_)};
}

void ChipMemory::connect(std::size_t index, MemoryClient& core) {
  const auto to = [&](auto* own, const auto& shared) {
    if (shared) {
      shared->connect(index, core);
    } else if (own != nullptr) {
      own->connect(core);
    }
  };
  if (l2_) {
    l2_->connect(index, core);
  } else {
    to(&dram_port_, shared_memory_);
  }
  to(host_port_.get(), shared_host_);
  to(link_port_.get(), shared_link_);
}

SystolicCore::Meters ChipMemory::meters(Timeline& timeline) {
  dram_meter_.record_in(timeline, kDramBytesChannel);
  SystolicCore::Meters meters{.dram = &dram_meter_, .host = &host_meter_, .link = &link_meter_};
  if (dram_) {
    meters.dram_counts = [this](Cycle now) { return dram_->counts_at(clock_.time_of(now)); };
  }
  if (l2_) meters.take_l2 = [this](Cycle now) { return l2_->take_until(now); };
  return meters;
}

void ChipMemory::check_drained() const {
  if (l2_) l2_->check_drained();
  if (dram_) dram_->check_drained();
  for (const SimpleMemory* memory : {simple_dram_.get(), host_.get(), link_.get()}) {
    if (memory != nullptr && memory->requests() != memory->responses()) {
      throw SimulationError("law violated: every memory request is answered once");
    }
  }
}

}  // namespace tilewave
