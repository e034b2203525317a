// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <tlm>

#include "sim/events.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// The run was stopped from outside (Ctrl-C); exit status 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Options of a run that change nothing about its result.
struct RunHooks {
  const EventBus* events = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< set from a signal handler
  /// Called now and then with kernels complete and the current cycle.
  std::function<void(std::size_t, Cycle)> progress;
  /// Kernels that do what others did before are not simulated again; the outcome is the same.
  bool skip_repeats = true;
  /// Someone else's memory in the place of the machine's own: makes a TLM-2.0 target (base protocol,
  /// AT) and binds the socket to it.
  std::function<std::unique_ptr<sc_core::sc_module>(tlm::tlm_initiator_socket<>&)> dram{};
};

}  // namespace tilewave
