// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// Where the cores of a chip meet after each kernel: what one writes the others may read, so nobody
/// begins the next kernel before all have completed this one. Not modelled: the cycles a signal
/// between cores takes; a kernel's launch cost is to cover them.
class KernelBarrier {
 public:
  explicit KernelBarrier(std::size_t cores) : wake_(cores) {}

  /// Called with the cycle at which core `core` is to look again.
  void set_wake(std::size_t core, std::function<void(Cycle)> wake) {
    wake_[core] = std::move(wake);
  }
  /// Core `core` has completed kernel number `kernel`; each core does so in order.
  void arrive(std::size_t core, std::size_t kernel, Cycle now) {
    if (kernel != kernel_ || ++arrived_ < wake_.size()) return;
    arrived_ = 0;
    ++kernel_;
    for (std::size_t other = 0; other < wake_.size(); ++other) {
      if (other != core) wake_[other](now);
    }
  }
  /// All have completed kernel number `kernel`.
  [[nodiscard]] bool passed(std::size_t kernel) const noexcept { return kernel < kernel_; }

 private:
  std::vector<std::function<void(Cycle)>> wake_;
  std::size_t kernel_ = 0, arrived_ = 0;
};

}  // namespace tilewave
