// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/shared_cache_module.hpp"

#include "arch/chip/systolic_chip.hpp"

namespace tilewave {

SharedCacheModule::SharedCacheModule(sc_core::sc_module_name name, SharedCache& cache,
                                     ClockDomain clock, SimulationContext& context,
                                     const std::atomic<bool>* stop)
    : sc_module(name), cache_(cache), clock_(clock), context_(context), stop_(stop) {
  SC_HAS_PROCESS(SharedCacheModule);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
  cache_.set_wake([this](Cycle cycle) { wake_at(cycle); });
}

void SharedCacheModule::step() {
  context_.guard([this] {
    const Cycle next = cache_.step(clock_.cycle_at_or_after(context_.now()));
    if (next != kNever) wake_at(next);
    if (++steps_ % kStepsBetweenChecks == 0 && stop_ != nullptr && stop_->load()) {
      throw Interrupted();
    }
  });
}

void SharedCacheModule::wake_at(Cycle cycle) { context_.notify_at(wake_, clock_.time_of(cycle)); }

}  // namespace tilewave
