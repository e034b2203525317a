// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>

#include "arch/core/sm/sm.hpp"
#include "sim/clock_domain.hpp"
#include "sim/simulation_context.hpp"

namespace tilewave {

/// An SM as a module: one process, woken at the earliest cycle at which anything can happen.
class SmModule final : public sc_core::sc_module {
 public:
  /// `on_news` is called in a cycle in which the SM has news.
  SmModule(sc_core::sc_module_name name, std::unique_ptr<Sm> sm, ClockDomain clock,
           SimulationContext& context, std::function<void(Cycle)> on_news);

  [[nodiscard]] Sm& sm() noexcept { return *sm_; }
  /// After an answer: does what can be done now, and sets the next wake-up.
  void go_on(Cycle now);
  void wake_at(Cycle cycle) { context_.notify_at(wake_, clock_.time_of(cycle)); }
  [[nodiscard]] Count events() const noexcept { return events_; }

 private:
  void step();

  std::unique_ptr<Sm> sm_;
  ClockDomain clock_;
  SimulationContext& context_;
  std::function<void(Cycle)> on_news_;
  sc_core::sc_event wake_;
  Count events_ = 0;
};

}  // namespace tilewave
