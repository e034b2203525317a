// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <systemc>

#include "sim/units.hpp"

namespace tilewave {

/// One simulation: a fresh SystemC context with a resolution of 1 fs. A process may hold many, one
/// after another; a mutex serialises threads. The old context is replaced and not freed, since
/// freeing one crashes SystemC 3.x and is a use-after-free in 2.3.4; about 13 KiB a run stay
/// behind.
///
/// Exceptions do not cross the kernel: a process body runs inside guard(), which keeps the first
/// exception and pauses; run() throws it again.
class SimulationContext {
 public:
  SimulationContext();
  ~SimulationContext();
  SimulationContext(const SimulationContext&) = delete;
  SimulationContext& operator=(const SimulationContext&) = delete;

  /// Runs until nothing is scheduled any more or a process failed or interrupted() said stop.
  void run();

  template <typename Body>
  void guard(Body&& body) noexcept {
    if (failure_) return;
    try {
      body();
    } catch (...) {
      failure_ = std::current_exception();
      sc_core::sc_pause();
    }
  }

  [[nodiscard]] Femtoseconds now() const;
  /// Notifies `event` at `when`, or in the next delta cycle if that is past. An earlier notification that
  /// is pending stays.
  void notify_at(sc_core::sc_event& event, Femtoseconds when) const;
  [[nodiscard]] static sc_core::sc_time to_sc_time(Femtoseconds time) {
    return sc_core::sc_time::from_value(time.value);
  }

 private:
  std::unique_lock<std::mutex> lock_;
  std::exception_ptr failure_;
};

}  // namespace tilewave
