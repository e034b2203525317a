// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/link_meter.hpp"

namespace tilewave {

void LinkMeter::add(std::size_t lane, Bytes bytes, Femtoseconds begin, Femtoseconds end) {
  lanes_[lane].push_back({begin, end, bytes, 0});
  if (timeline_ != nullptr) {
    timeline_->add(channel_, clock_.cycle_at_or_after(begin), clock_.cycle_at_or_after(end),
                   static_cast<double>(bytes));
  }
}

Bytes LinkMeter::take_until(Cycle now) {
  const Femtoseconds time = clock_.time_of(now);
  taken_until_ = time;
  Bytes moved = 0;
  for (auto& lane : lanes_) {
    while (!lane.empty() && lane.front().end <= time) {
      moved += lane.front().bytes - lane.front().taken;
      lane.pop_front();
    }
    if (lane.empty() || lane.front().begin >= time) continue;
    Transfer& t = lane.front();
    const auto passed = static_cast<double>(time.value - t.begin.value);
    const auto whole = static_cast<double>(t.end.value - t.begin.value);
    const auto by_now = static_cast<Bytes>(static_cast<double>(t.bytes) * (passed / whole));
    if (by_now > t.taken) {
      moved += by_now - t.taken;
      t.taken = by_now;
    }
  }
  return moved;
}

}  // namespace tilewave
