// SPDX-License-Identifier: Apache-2.0
#include "arch/core/slot_table.hpp"

#include <algorithm>

#include "sim/diagnostics.hpp"

namespace tilewave {

std::vector<SlotTable::Opened> SlotTable::open(const program::Kernel& kernel) {
  std::vector<Opened> opened;
  const std::vector<int> existing = newest_;
  for (const auto& slot : kernel.slots) {
    // Slots of one kernel are apart, whatever their names.
    const auto own = [&](int ring) {
      return std::ranges::any_of(opened, [&](const Opened& o) { return o.ring == ring; });
    };
    const auto place = std::find_if(existing.rbegin(), existing.rend(), [&](int ring) {
      const Ring& r = rings_[static_cast<std::size_t>(ring)];
      return r.buffer == slot.buffer && r.name == slot.name && !own(ring);
    });
    const int found = place == existing.rend() ? -1 : *place;
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
    const int added = static_cast<int>(rings_.size()) - 1;
    if (found >= 0) std::erase(newest_, found);
    newest_.push_back(added);
    opened.push_back({added, 0});
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
  b.stage = static_cast<std::uint32_t>(b.sequence % r.stages.size());
  return b;
}

const SlotTable::Stage& SlotTable::stage(const Binding& b) const {
  return rings_[static_cast<std::size_t>(b.ring)].stages[b.stage];
}

SlotTable::Stage& SlotTable::stage(const Binding& b) {
  return rings_[static_cast<std::size_t>(b.ring)].stages[b.stage];
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

void SlotTable::describe(const std::vector<Opened>& opened,
                         const std::vector<const Binding*>& bindings,
                         std::vector<std::int64_t>& words) const {
  // The rings that matter, by age; a ring's number is its place among them. Who is to give a stage
  // back is waiting or not dispatched yet, so a ring that is not here is empty.
  std::vector<int> rings = newest_;
  for (const Opened& o : opened) rings.push_back(o.ring);
  for (const Binding* b : bindings) rings.push_back(b->ring);
  std::ranges::sort(rings);
  rings.erase(std::unique(rings.begin(), rings.end()), rings.end());
  const auto number = [&](int ring) {
    const auto found = std::ranges::find(rings, ring);
    return found == rings.end() ? std::int64_t{-1} : found - rings.begin();
  };
  const auto add = [&](std::uint64_t value) { words.push_back(static_cast<std::int64_t>(value)); };
  const auto add_text = [&](const std::string& text) {
    add(text.size());
    for (const char c : text) words.push_back(c);
  };
  for (const int i : rings) {
    const Ring& ring = rings_[static_cast<std::size_t>(i)];
    add_text(ring.name);
    add_text(ring.buffer);
    add(ring.stage_bytes);
    add(ring.releases);
    add(ring.stages.size());
    add(ring.taken);
    for (const int before : ring.predecessors) {
      words.push_back(number(before));  // -1: empty for ever
    }
    // In the order in which they are used next.
    for (std::size_t s = 0; s < ring.stages.size(); ++s) {
      const Stage& stage = ring.stages[(ring.next_sequence + s) % ring.stages.size()];
      add(stage.owner - ring.next_sequence);  // may wrap
      add(stage.taken ? 1 : 0);
      if (!stage.taken) continue;  // what a free one counts begins anew
      add(stage.parts);
      add(stage.given_back);
    }
  }
  for (const Opened& o : opened) {
    words.push_back(number(o.ring));
    add(rings_[static_cast<std::size_t>(o.ring)].next_sequence - o.first_sequence);
  }
  for (const Binding* b : bindings) {
    words.push_back(number(b->ring));
    add(rings_[static_cast<std::size_t>(b->ring)].next_sequence - b->sequence);
    add(b->part);
    add((b->acquire ? 1U : 0U) | (b->produce ? 2U : 0U) | (b->wait ? 4U : 0U) |
        (b->release ? 8U : 0U) | static_cast<unsigned>(b->role) << 4U);
  }
}

bool SlotTable::all_free() const {
  return std::all_of(rings_.begin(), rings_.end(), [](const Ring& r) { return r.taken == 0; });
}

}  // namespace tilewave
