// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <systemc>

#include "arch/memory/hierarchy/shared_cache.hpp"
#include "sim/clock_domain.hpp"
#include "sim/diagnostics.hpp"
#include "sim/simulation_context.hpp"

namespace tilewave {

/// The shared cache as a module: one process on the core's clock, woken at the earliest cycle at
/// which anything can happen.
class SharedCacheModule final : public sc_core::sc_module {
 public:
  /// Throws Interrupted once `stop` (null: never) is set.
  SharedCacheModule(sc_core::sc_module_name name, SharedCache& cache, ClockDomain clock,
                    SimulationContext& context, const std::atomic<bool>* stop);

 private:
  static constexpr Count kStepsBetweenChecks = 65536;

  void step();
  void wake_at(Cycle cycle);

  SharedCache& cache_;
  ClockDomain clock_;
  SimulationContext& context_;
  const std::atomic<bool>* stop_;
  sc_core::sc_event wake_;
  Count steps_ = 0;
};

}  // namespace tilewave
