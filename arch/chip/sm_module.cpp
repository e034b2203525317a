// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/sm_module.hpp"

#include <utility>

namespace tilewave {

SmModule::SmModule(sc_core::sc_module_name name, std::unique_ptr<Sm> sm, ClockDomain clock,
                   SimulationContext& context, std::function<void(Cycle)> on_news)
    : sc_module(name),
      sm_(std::move(sm)),
      clock_(clock),
      context_(context),
      on_news_(std::move(on_news)) {
  SC_HAS_PROCESS(SmModule);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void SmModule::go_on(Cycle now) {
  ++events_;
  const Cycle next = sm_->step(now);
  if (next != kNever) wake_at(next);
  if (sm_->has_news()) on_news_(now);
}

void SmModule::step() {
  context_.guard([this] { go_on(clock_.cycle_at_or_after(context_.now())); });
}

}  // namespace tilewave
