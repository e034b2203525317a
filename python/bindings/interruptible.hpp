// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>

namespace tilewave::python {

/// Runs `work` on a thread of its own and waits for it without the GIL, so that other Python threads go
/// on. Ctrl-C (any signal whose Python handler raises) sets the flag that `work` gets; once it has ended
/// the handler's exception is thrown. `poll` is called with the GIL every 50 ms; what it throws ends
/// the work the same way. Calls from several threads run one after another: a process has one SystemC
/// kernel.
void run_interruptible(const std::function<void(const std::atomic<bool>& stop)>& work,
                       const std::function<void()>& poll);

}  // namespace tilewave::python
