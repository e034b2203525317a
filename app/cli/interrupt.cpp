// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt.hpp"

#include <csignal>

namespace tilewave {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may touch it");

extern "C" void request_stop(int) { stop_requested = true; }

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  struct sigaction before {};
  if (sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    struct sigaction action {};
    action.sa_handler = request_stop;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one is not ours
    sigaction(SIGINT, &action, nullptr);
  }
  return stop_requested;
}

}  // namespace tilewave
