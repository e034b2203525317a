// SPDX-License-Identifier: Apache-2.0
#include "arch/core/slot_table.hpp"

#include <algorithm>

#include "sim/diagnostics.hpp"

namespace tilewave {

std::vector<SlotTable::Opened> SlotTable::open(const program::Kernel& kernel) {
  std::vector<Opened> opened;
  const auto existing = static_cast<int>(rings_.size());
  for (const auto& slot : kernel.slots) {
    // The newest ring of this buffer and name; older ones are behind it already.
    int found = -1;
    for (int i = existing - 1; i >= 0 && found < 0; --i) {
      const auto& r = rings_[static_cast<std::size_t>(i)];
      if (r.buffer == slot.buffer && r.name == slot.name) found = i;
    }
    if (found >= 0) {
      const auto& r = rings_[static_cast<std::size_t>(found)];
      if (r.stages.size() == slot.stages && r.stage_bytes == slot.stage_bytes &&
          r.releases == slot.releases) {
        opened.push_back({found, r.next_sequence});
        continue;
      }
    }
    Ring ring{.name = slot.name,
              .buffer = slot.buffer,
              .stage_bytes = slot.stage_bytes,
              .releases = slot.releases,
              .stages = std::vector<Stage>(slot.stages),
              .predecessors = {}};
    for (std::size_t s = 0; s < ring.stages.size(); ++s) ring.stages[s].owner = s;
    if (found >= 0) ring.predecessors.push_back(found);
    rings_.push_back(std::move(ring));
    opened.push_back({static_cast<int>(rings_.size()) - 1, 0});
  }
  return opened;
}

SlotTable::Binding SlotTable::bind(const Opened& slot, const program::SlotUse& use,
                                   const program::Walker& walker) {
  auto& r = rings_[static_cast<std::size_t>(slot.ring)];
  Binding b{.ring = slot.ring,
            .part = use.part,
            .role = use.role,
            .acquire = walker.holds(use.acquire),
            .produce = use.produce,
            .wait = use.wait,
            .release = walker.holds(use.release)};
  if (b.acquire) ++r.next_sequence;
  b.sequence = r.next_sequence - 1;
  if (!b.acquire && use.stage) {
    b.sequence = slot.first_sequence + static_cast<std::uint64_t>(use.stage->at(walker.index()));
  }
  if (b.sequence >= r.next_sequence) {
    misused(b, "used before it is acquired");
  }
  return b;
}

const SlotTable::Stage& SlotTable::stage(const Binding& b) const {
  const auto& stages = rings_[static_cast<std::size_t>(b.ring)].stages;
  return stages[b.sequence % stages.size()];
}

SlotTable::Stage& SlotTable::stage(const Binding& b) {
  auto& stages = rings_[static_cast<std::size_t>(b.ring)].stages;
  return stages[b.sequence % stages.size()];
}

void SlotTable::misused(const Binding& b, const char* how) const {
  throw SimulationError("program: a stage of slot \"" + name(b.ring) + "\" is " + how);
}

bool SlotTable::space_ready(const Binding& b) const {
  if (!b.acquire) return true;
  const auto& s = stage(b);
  if (s.taken || s.owner != b.sequence) return false;
  const auto& before = rings_[static_cast<std::size_t>(b.ring)].predecessors;
  return std::all_of(before.begin(), before.end(), [this](int ring) {
    return rings_[static_cast<std::size_t>(ring)].taken == 0;
  });
}

bool SlotTable::data_ready(const Binding& b) const {
  if (!b.wait) return true;
  const auto& s = stage(b);
  return s.taken && s.owner == b.sequence && s.parts > b.part;
}

bool SlotTable::ready(const Binding& b) const { return space_ready(b) && data_ready(b); }

void SlotTable::acquire(const Binding& b) {
  if (!b.acquire) return;
  auto& s = stage(b);
  if (s.taken || s.owner != b.sequence) misused(b, "taken but not free");
  s.taken = true;
  s.parts = 0;
  s.given_back = 0;
  ++rings_[static_cast<std::size_t>(b.ring)].taken;
}

void SlotTable::produce(const Binding& b) {
  if (!b.produce) return;
  auto& s = stage(b);
  if (!s.taken || s.owner != b.sequence) misused(b, "filled but not taken");
  ++s.parts;
}

void SlotTable::release(const Binding& b) {
  if (!b.release) return;
  auto& ring = rings_[static_cast<std::size_t>(b.ring)];
  auto& s = stage(b);
  if (!s.taken || s.owner != b.sequence) misused(b, "given back but not taken");
  if (++s.given_back < ring.releases) return;
  s.taken = false;
  s.owner += ring.stages.size();
  --ring.taken;
}

bool SlotTable::all_free() const {
  return std::all_of(rings_.begin(), rings_.end(), [](const Ring& r) { return r.taken == 0; });
}

}  // namespace tilewave
