// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace tilewave {

/// From now on, the first Ctrl-C (SIGINT) sets the flag that this returns and nothing else; a
/// second one ends the program at once. Where SIGINT is ignored (nohup, a background job), it stays
/// so.
[[nodiscard]] const std::atomic<bool>& stop_on_interrupt();

}  // namespace tilewave
