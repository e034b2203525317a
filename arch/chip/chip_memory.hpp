// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "arch/chip/chip_params.hpp"
#include "arch/chip/shared_cache_module.hpp"
#include "arch/chip/systolic_chip.hpp"
#include "arch/memory/dram/dram_memory.hpp"
#include "arch/memory/link_meter.hpp"
#include "arch/memory/shared_port.hpp"
#include "arch/memory/simple_memory.hpp"
#include "arch/memory/tlm_memory_port.hpp"

namespace tilewave {

/// All that lies outside a chip's cores: off-chip memory (controllers, bandwidth and latency, or
/// someone else's), the host link, the link to the next chip, an L2 where there is one, and a port to each for every core.
class ChipMemory {
 public:
  ChipMemory(const ChipParams& chip, Fidelity fidelity, const RunHooks& hooks, ClockDomain clock,
             SimulationContext& context, StatGroup& root);

  /// What core `index` sends to.
  [[nodiscard]] DmaEngine::Ports ports(std::size_t index);
  void connect(std::size_t index, MemoryClient& core);

  [[nodiscard]] SystolicCore::Meters meters(Timeline& timeline);

  [[nodiscard]] std::string describe_waits() const { return l2_ ? l2_->describe_waits() : ""; }
  /// Bursts that DRAM controllers did not do one by one.
  [[nodiscard]] Count replayed_bursts() const { return dram_ ? dram_->replayed_bursts() : 0; }
  /// Everything was answered; throws SimulationError otherwise.
  void check_drained() const;

 private:
  void build_dram(Fidelity fidelity, const RunHooks& hooks, StatGroup& root);
  void build_host(StatGroup& root);
  void build_link(StatGroup& root);
  void build_l2(const RunHooks& hooks, StatGroup& root);

  const ChipParams& chip_;
  ClockDomain clock_;
  SimulationContext& context_;
  TlmMemoryPort dram_port_;
  std::unique_ptr<SimpleMemory> simple_dram_;
  std::unique_ptr<DramMemory> dram_;
  std::unique_ptr<sc_core::sc_module> foreign_dram_;
  std::unique_ptr<TlmMemoryPort> host_port_;
  std::unique_ptr<SimpleMemory> host_;
  // All chips do the same at the same time, so that what this one would send arrives here from its
  // mirror: the link's far end is its near end.
  std::unique_ptr<TlmMemoryPort> link_port_;
  std::unique_ptr<SimpleMemory> link_;
  std::unique_ptr<SharedCache> l2_;
  std::unique_ptr<SharedCacheModule> l2_module_;
  // Where several cores meet.
  std::unique_ptr<SharedPort> shared_memory_, shared_host_, shared_link_;
  LinkMeter dram_meter_, host_meter_, link_meter_;
};

}  // namespace tilewave
