// SPDX-License-Identifier: Apache-2.0
// What a look-up does, and which one comes next.
#include <algorithm>
#include <bit>

#include "arch/memory/cache/cache.hpp"
#include "arch/memory/cache/cache_request_tag.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

void Cache::commit(const LookUp& p, Walk& walk, Cycle now) {
  count(p, walk, now);
  const CacheHint hint = walk.hint;
  Entry entry = p.entry;
  if (entry != CacheTags::kNone) {
    if (hint == CacheHint::normal) tags_.use(p.set, entry);
  } else if (p.allocate) {
    allocate(p, hint, now);
    entry = p.room;
  }
  if (entry != CacheTags::kNone) {
    auto& state = tags_.state(entry);
    state.valid |= p.validate;
    if (walk.write && write_back_) {
      const SectorMask dirtied = p.touched & ~state.dirty;
      if (dirtied != 0) {
        stats_.dirtied_bytes += static_cast<Bytes>(std::popcount(dirtied)) << sector_bits_;
        state.dirty |= dirtied;
      }
    }
  }
  CacheMshrs::Index mshr = p.mshr;
  if (p.fetch != 0) {
    if (mshr == CacheMshrs::kNone) {
      mshr = mshrs_.allocate(p.line, entry);
      if (entry != CacheTags::kNone) tags_.state(entry).mshr = mshr;
    }
    fetch(p, mshr, hint, now);
  }
  if (p.wait != 0) {
    responses_.add_part(walk.slot);
    mshrs_.wait(mshr, walk.slot, p.wait);
  }
  if (p.below) write_below(p, walk, now);
  if (p.banks) {
    const Cycle in_bank = banks_.occupy(now, p.local, p.offset, p.bytes);
    responses_.not_before(walk.slot, now + params_.hit_latency_cycles + in_bank - 1);
  }
  walk.address += p.bytes;
  walk.left -= p.bytes;
  if (walk.left == 0) responses_.serve_by_look_up(walk.slot, 0);
}

void Cache::count(const LookUp& p, const Walk& walk, Cycle now) {
  if (port_used_++ == 0) ++stats_.busy_cycles;
  ++stats_.lookups;
  ++stats_.outcomes[static_cast<std::size_t>(p.outcome)];
  const Count sectors = ((p.offset + p.bytes - 1) >> sector_bits_) - (p.offset >> sector_bits_) + 1;
  stats_.sectors += sectors;
  stats_.sector_hits += p.hits == p.touched ? sectors : static_cast<Count>(std::popcount(p.hits));
  if (listener_ != nullptr) {
    listener_->looked_up(now, address_of(p.line), walk.write, p.outcome);
  }
}

void Cache::allocate(const LookUp& p, CacheHint hint, Cycle now) {
  if (tags_.state(p.room).dirty != 0) write_back(p.room, now);
  if (tags_.replace(p.set, p.room, p.line)) ++stats_.evictions;
  if (hint == CacheHint::streaming) {
    tags_.put_first(p.set, p.room);
  } else {
    tags_.use(p.set, p.room);
  }
}

void Cache::fetch(const LookUp& p, CacheMshrs::Index mshr, CacheHint hint, Cycle now) {
  mshrs_.ask(mshr, p.fetch);
  for_each_run(p.fetch, [&](unsigned first, unsigned sectors) {
    const Bytes bytes = Bytes{sectors} << sector_bits_;
    const CacheRequestTag tag{
        .kind = CacheRequestTag::Kind::fill, .index = mshr, .first = first, .sectors = sectors};
    lower_.add_fill({.address = address_of(p.line) + (Bytes{first} << sector_bits_),
                     .bytes = bytes,
                     .write = false,
                     .tag = tag.pack(),
                     .hint = hint},
                    now + params_.tag_latency_cycles);
    ++stats_.fills;
    stats_.fill_bytes += bytes;
  });
}

void Cache::write_below(const LookUp& p, const Walk& walk, Cycle now) {
  responses_.add_part(walk.slot);
  const CacheRequestTag tag{.kind = CacheRequestTag::Kind::write, .index = walk.slot};
  lower_.add_write({.address = walk.address,
                    .bytes = p.bytes,
                    .write = true,
                    .tag = tag.pack(),
                    .hint = walk.hint},
                   now + params_.tag_latency_cycles);
  ++stats_.writes_below;
  stats_.write_below_bytes += p.bytes;
}

void Cache::settle_stall(Cycle now) {
  if (!stall_ || now <= stall_since_) return;
  stats_.stall_cycles[static_cast<std::size_t>(*stall_)] += now - stall_since_;
  stall_since_ = now;
}

// Takes the next request from the link, if there is one and a place for it.
bool Cache::take(Cycle now) {
  if (!upper_.requests.can_pop(now)) return false;
  if (responses_.full()) {
    if (!stall_) {
      stall_ = responses_.next(now) <= now ? CacheStall::response_port : CacheStall::requests;
    }
    return false;
  }
  const MemoryRequest& request = upper_.requests.front();
  if (request.bytes == 0 || request.address + (request.bytes - 1) < request.address) {
    throw SimulationError(name_ + ": a request of no bytes, or over the end of all addresses");
  }
  current_ = {.address = request.address,
              .left = request.bytes,
              .slot = responses_.open(request),
              .write = request.write,
              .hint = request.hint};
  ++stats_.requests;
  (request.write ? stats_.write_bytes : stats_.read_bytes) += request.bytes;
  upper_.requests.pop(now);
  return true;
}

void Cache::look_up(Cycle now) {
  stall_.reset();
  bank_free_ = kNever;
  if (port_cycle_ > now) return;  // served ahead
  if (port_cycle_ < now) {
    port_cycle_ = now;
    port_used_ = 0;
  }
  if (flush_next(now)) look_up_requests(now);
  if (stall_) stall_since_ = port_used_ > 0 ? now + 1 : now;
}

void Cache::look_up_requests(Cycle now) {
  while (port_cycle_ == now && port_used_ < params_.ports) {
    if (passed_.left > 0) {
      LookUp p = plan(passed_);
      stall_ = lacks(p, now);
      if (!stall_) {
        commit(p, passed_, now);
        continue;
      }
    }
    if (current_.left == 0 && !take(now)) return;
    LookUp p = plan(current_);
    if (passed_.left > 0) {
      const std::uint64_t line = address_of(p.line);
      const bool apart = line + (params_.line_bytes - 1) < passed_.address ||
                         line > passed_.address + (passed_.left - 1);
      if (!p.plain_hit() || !apart || lacks(p, now)) return;
    } else {
      const auto stall = lacks(p, now);
      if (stall && *stall != CacheStall::bank && params_.hit_under_miss) {
        passed_ = current_;
        current_.left = 0;
        continue;
      }
      stall_ = stall;
      if (stall_) return;
    }
    commit(p, current_, now);
    if (run_ahead_ && passed_.left == 0 && p.plain_hit()) run_ahead();
  }
}

// Goes on with the current request as long as it hits: until it does not, nothing that happens can
// change what its look-ups find, for lines go only by look-ups, and these come in order.
void Cache::run_ahead() {
  while (current_.left > 0) {
    const LookUp p = plan(current_);
    if (!p.plain_hit()) return;
    Cycle cycle = free_port_cycle();
    const Cycle free = banks_.earliest(cycle, p.local, p.offset, p.bytes);
    if (free > cycle) {
      const Cycle stalled_from = cycle == port_cycle_ ? cycle + 1 : cycle;
      stats_.stall_cycles[static_cast<std::size_t>(CacheStall::bank)] += free - stalled_from;
      cycle = free;
    }
    if (cycle > port_cycle_) {
      port_cycle_ = cycle;
      port_used_ = 0;
    }
    commit(p, current_, cycle);
  }
}

Cycle Cache::next_look_up(Cycle now) const {
  const Cycle free = std::max(free_port_cycle(), now + 1);
  const Cycle arrival = upper_.requests.empty() ? kNever : upper_.requests.next_visible();
  if (!stall_) {
    if (flushed_ != CacheTags::kNone || current_.left > 0 || passed_.left > 0) return free;
    return arrival == kNever ? kNever : std::max(free, arrival);
  }
  // What else a stalled look-up waits for has a cycle of its own: a fill, a request or response
  // that leaves.
  Cycle next = bank_free_;
  if (passed_.left > 0 && current_.left > 0 && port_used_ == params_.ports) next = free;
  if (passed_.left > 0 && current_.left == 0 && arrival != kNever && !responses_.full()) {
    next = std::min(next, std::max(free, arrival));
  }
  return next;
}

}  // namespace tilewave
