// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation_context.hpp"

#include <cstdlib>

// The shared SystemC library holds a main() that calls this; ours is never called.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) { return 0; }

namespace tilewave {

namespace {

std::mutex& kernel_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

SimulationContext::SimulationContext() : lock_(kernel_mutex()) {
  // The banner would go to the user's terminal.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
  sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
  // Errors of the kernel must reach us as exceptions; SC_FATAL would abort the process.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

SimulationContext::~SimulationContext() = default;

void SimulationContext::run() {
  sc_core::sc_start();
  if (failure_) std::rethrow_exception(failure_);
}

void SimulationContext::notify_at(sc_core::sc_event& event, Femtoseconds when) const {
  const std::uint64_t past = now().value;
  event.notify(to_sc_time({when.value > past ? when.value - past : 0}));
}

Femtoseconds SimulationContext::now() const { return {sc_core::sc_time_stamp().value()}; }

}  // namespace tilewave
