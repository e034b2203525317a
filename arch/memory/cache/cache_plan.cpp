// SPDX-License-Identifier: Apache-2.0
// What a look-up finds and would do, and what it lacks to do so.
#include <algorithm>

#include "arch/memory/cache/cache.hpp"

namespace tilewave {

Cache::LookUp Cache::plan(const Walk& walk) const {
  LookUp p;
  p.line = walk.address >> line_bits_;
  p.local = index_.local(p.line);
  p.set = index_.set_of(p.local);
  p.offset = walk.address & (params_.line_bytes - 1);
  p.bytes = std::min(walk.left, params_.line_bytes - p.offset);
  p.touched =
      sectors_between(p.offset >> sector_bits_, ((p.offset + p.bytes - 1) >> sector_bits_) + 1);
  p.entry = tags_.find(p.set, p.line);
  SectorMask missing = p.touched;
  if (p.entry != CacheTags::kNone) {
    const auto& state = tags_.state(p.entry);
    p.mshr = state.mshr;
    p.hits = p.touched & state.valid;
    missing &= ~state.valid;
  } else {
    p.mshr = mshrs_.find_unkept(p.line);
  }
  SectorMask coming = 0;
  if (p.mshr != CacheMshrs::kNone) {
    coming = missing & mshrs_.pending(p.mshr);
    missing &= ~coming;
  }
  p.outcome = missing != 0
                  ? (p.entry != CacheTags::kNone ? CacheOutcome::sector_miss : CacheOutcome::miss)
              : coming != 0 ? CacheOutcome::merge
                            : CacheOutcome::hit;
  if (walk.write) {
    plan_write(walk, missing, coming, p);
  } else {
    p.fetch = missing;
    p.wait = missing | coming;
    p.allocate = p.entry == CacheTags::kNone && p.mshr == CacheMshrs::kNone &&
                 walk.hint != CacheHint::no_allocate;
    p.banks = p.wait == 0;
  }
  return p;
}

void Cache::plan_write(const Walk& walk, SectorMask missing, SectorMask coming, LookUp& p) const {
  const bool there = p.entry != CacheTags::kNone;
  p.barred = !there && p.mshr != CacheMshrs::kNone;
  const SectorMask whole = sectors_between(ceil_div(p.offset, params_.sector_bytes),
                                           (p.offset + p.bytes) >> sector_bits_);
  p.allocate = !there && params_.write_allocate && walk.hint != CacheHint::no_allocate &&
               (write_back_ || whole != 0);
  p.below = !write_back_ || (!there && !p.allocate);
  if (!there && !p.allocate) return;
  p.banks = true;
  p.validate = missing & whole;
  if (write_back_) {
    p.fetch = missing & ~whole;
    p.wait = p.fetch | coming;
  }
}

std::optional<CacheStall> Cache::lacks(LookUp& p, Cycle now) {
  const auto because = [this](CacheStall cause) {
    return lower_.held_back() ? CacheStall::lower_link : cause;
  };
  if (p.barred) return CacheStall::mshr;
  Count writes = p.below ? 1 : 0;
  if (p.allocate) {
    p.room = tags_.room(p.set);
    if (p.room == CacheTags::kNone) return CacheStall::set;
    writes += count_runs(tags_.state(p.room).dirty);
  }
  if (p.fetch != 0 && p.mshr == CacheMshrs::kNone && mshrs_.full()) {
    return because(CacheStall::mshr);
  }
  if (p.wait != 0 && p.mshr != CacheMshrs::kNone && !mshrs_.may_wait(p.mshr)) {
    return CacheStall::merge_list;
  }
  if (writes > 0 && !lower_.has_room(writes)) return because(CacheStall::write_queue);
  if (p.banks) {
    const Cycle free = banks_.earliest(now, p.local, p.offset, p.bytes);
    if (free > now) {
      bank_free_ = std::min(bank_free_, free);
      return CacheStall::bank;
    }
  }
  return std::nullopt;
}

bool Cache::holds(std::uint64_t address, Bytes bytes) const {
  for (Walk walk{.address = address, .left = bytes}; walk.left > 0;) {
    const LookUp p = plan(walk);
    if (p.hits != p.touched) return false;
    walk.address += p.bytes;
    walk.left -= p.bytes;
  }
  return true;
}

}  // namespace tilewave
