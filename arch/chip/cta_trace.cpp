// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/cta_trace.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tilewave {

void CtaTrace::end(std::size_t sm, Count block, Cycle at, const program::Kernel& kernel) {
  if (events_ == nullptr) return;
  auto& running = running_[sm];
  const auto found = std::ranges::find(running, block, &Running::block);
  if (found == running.end()) return;
  events_->slice(fmt::format("SM {}", sm), fmt::format("{}: CTA {}", kernel.name, found->shown),
                 kernel.layer, found->since, at);
  running.erase(found);
}

void CtaTrace::skip(Count blocks, Cycle from, Cycle cycles, const program::Kernel& kernel) {
  if (events_ == nullptr) return;
  events_->slice("SMs",
                 fmt::format("{}: {} CTAs like those before, not simulated", kernel.name, blocks),
                 kernel.layer, from, from + cycles);
  for (auto& running : running_) {
    for (Running& cta : running) cta.shown += blocks, cta.since += cycles;
  }
}

}  // namespace tilewave
