// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <systemc>
#include <utility>

#include "sim/simulation_context.hpp"

namespace tilewave {

inline std::ostream& operator<<(std::ostream& out, Femtoseconds time) {
  return out << time.value << " fs";
}

}  // namespace tilewave

namespace tilewave::test {

inline constexpr std::uint64_t kNs = 1'000'000;  ///< femtoseconds in a nanosecond
[[nodiscard]] constexpr Femtoseconds ns(std::uint64_t count) { return {count * kNs}; }
/// An annotated delay.
[[nodiscard]] inline sc_core::sc_time sc_ns(std::uint64_t count) {
  return SimulationContext::to_sc_time(ns(count));
}

/// Runs functions at given times of a simulation, those of one time in the order given. A function
/// may add others.
class Script final : public sc_core::sc_module {
 public:
  Script(sc_core::sc_module_name name, SimulationContext& context)
      : sc_module(name), context_(context) {
    SC_HAS_PROCESS(Script);
    SC_METHOD(step);
    sensitive << due_;
  }

  void at(Femtoseconds time, std::function<void()> action) {
    actions_.emplace(time, std::move(action));
    arm();
  }
  void after(Femtoseconds delay, std::function<void()> action) {
    at(context_.now() + delay, std::move(action));
  }

 private:
  void step() {
    context_.guard([this] {
      while (!actions_.empty() && actions_.begin()->first <= context_.now()) {
        const auto action = std::move(actions_.begin()->second);
        actions_.erase(actions_.begin());
        action();
      }
      arm();
    });
  }
  void arm() {
    if (actions_.empty()) return;
    const Femtoseconds now = context_.now(), next = actions_.begin()->first;
    due_.notify(SimulationContext::to_sc_time({next > now ? next.value - now.value : 0}));
  }

  SimulationContext& context_;
  std::multimap<Femtoseconds, std::function<void()>> actions_;
  sc_core::sc_event due_;
};

}  // namespace tilewave::test
