// SPDX-License-Identifier: Apache-2.0
// Construction, what happens in a cycle, answers from below, flushes. Look-ups: cache_plan.cpp, cache_look_up.cpp.
#include "arch/memory/cache/cache.hpp"

#include <algorithm>
#include <bit>

#include "arch/memory/cache/cache_request_tag.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// Requests under way: as many as can wait in MSHRs and be in the hit pipeline, so that only
/// responses that are held back, or writes below, reach the limit.
std::size_t request_slots(const CacheParams& p) {
  const Cycle in_bank = ceil_div(p.line_bytes, p.bank_bytes_per_cycle);
  return p.mshrs * (p.mshr_merges + 1) + p.ports * (p.hit_latency_cycles + in_bank) + 2;
}

/// When a full pipe may take something again: a cycle after the receiver may take from it.
template <typename T>
Cycle retry_cycle(const Pipe<T>& pipe, Cycle now) {
  const bool full = pipe.size() == pipe.depth();
  return (full ? std::max(now, pipe.next_visible()) : now) + 1;
}

}  // namespace

Cache::Cache(const std::string& name, const CacheParams& params, MemoryLink& upper,
             MemoryLink& lower, StatGroup& parent, CacheRuns runs)
    : name_(name),
      params_(params),
      write_back_(params.write_policy == CacheWritePolicy::write_back),
      run_ahead_(runs == CacheRuns::whole),
      line_bits_(static_cast<unsigned>(std::countr_zero(params.line_bytes))),
      sector_bits_(static_cast<unsigned>(std::countr_zero(params.sector_bytes))),
      upper_(upper),
      lower_link_(lower),
      index_(params),
      tags_(params),
      mshrs_(params.mshrs, params.mshr_merges),
      banks_(params),
      responses_(request_slots(params), params),
      lower_(params.mshrs * params.sectors_per_line(), params.write_queue_depth, line_bits_) {
  register_statistics(parent.group(name), stats_);
}

Cycle Cache::step(Cycle now) {
  settle_stall(now);
  receive(now);
  responses_.send(now, upper_.responses, [this](const MemoryResponse& r) {
    ++stats_.responses;
    stats_.answered_bytes += r.bytes;
  });
  lower_.send(now, lower_link_.requests);
  look_up(now);

  Cycle next = next_look_up(now);
  const Cycle response = responses_.next(now);
  next = std::min(next, response > now ? response : retry_cycle(upper_.responses, now));
  const Cycle below = lower_.next();
  next = std::min(next, below > now ? below : retry_cycle(lower_link_.requests, now));
  if (!lower_link_.responses.empty()) {
    const Cycle port = lower_link_.responses.front().write ? 0 : fill_free_;
    next = std::min(next, std::max({lower_link_.responses.next_visible(), port, now + 1}));
  }
  return std::min(next, fill_done_);
}

void Cache::receive(Cycle now) {
  auto& link = lower_link_.responses;
  const auto finish_fill = [&] {
    if (fill_done_ > now) return;
    fill_done_ = kNever;
    fill(now, filling_);
  };
  finish_fill();
  while (link.can_pop(now)) {
    const MemoryResponse response = link.front();
    if (response.write) {
      ++stats_.write_acks;
      const auto tag = CacheRequestTag::unpack(response.tag);
      if (tag.kind == CacheRequestTag::Kind::fill) {
        throw SimulationError(name_ + ": a fill from below that is marked as a write");
      }
      if (tag.kind == CacheRequestTag::Kind::write) responses_.serve_from_below(tag.index, now);
    } else {
      if (now < fill_free_) return;
      filling_ = response;
      fill_free_ = now + ceil_div(response.bytes, params_.fill_bytes_per_cycle);
      fill_done_ = fill_free_ - 1;
    }
    link.pop(now);
    finish_fill();
  }
}

void Cache::fill(Cycle now, const MemoryResponse& response) {
  const auto tag = CacheRequestTag::unpack(response.tag);
  const SectorMask sectors = tag.mask();
  if (tag.kind != CacheRequestTag::Kind::fill || tag.index >= mshrs_.size() || sectors == 0 ||
      (mshrs_.pending(tag.index) & sectors) != sectors ||
      response.bytes != Bytes{tag.sectors} << sector_bits_) {
    throw SimulationError(name_ + ": an answer from below to a request that was not sent");
  }
  ++stats_.fills_received;
  stats_.fill_bytes_received += response.bytes;
  const Entry entry = mshrs_.entry(tag.index);
  if (entry != CacheTags::kNone) tags_.state(entry).valid |= sectors;
  mshrs_.fill(tag.index, sectors,
              [&](CacheResponses::Slot slot) { responses_.serve_from_below(slot, now); });
  if (mshrs_.pending(tag.index) != 0) return;
  if (entry != CacheTags::kNone) tags_.state(entry).mshr = CacheTags::kNoMshr;
  mshrs_.release(tag.index);
}

bool Cache::idle() const {
  return responses_.used() == 0 && mshrs_.used() == 0 && lower_.empty() &&
         stats_.write_acks == stats_.write_backs + stats_.writes_below && fill_done_ == kNever &&
         flushed_ == CacheTags::kNone && upper_.requests.empty() && lower_link_.responses.empty();
}

void Cache::flush() {
  if (!idle()) throw SimulationError(name_ + ": flushed while it has requests under way");
  flushed_ = 0;
}

void Cache::invalidate() {
  if (!idle()) throw SimulationError(name_ + ": invalidated while it has requests under way");
  stats_.discarded_bytes += dirty_bytes();
  tags_.clear();
}

// Goes on with a flush; true if there is none (any more).
bool Cache::flush_next(Cycle now) {
  if (flushed_ == CacheTags::kNone) return true;
  if (port_used_ > 0) return false;
  while (flushed_ < tags_.entries() && tags_.state(flushed_).dirty == 0) ++flushed_;
  if (flushed_ == tags_.entries()) {
    flushed_ = CacheTags::kNone;
    return true;
  }
  if (!lower_.has_room(count_runs(tags_.state(flushed_).dirty))) {
    stall_ = lower_.held_back() ? CacheStall::lower_link : CacheStall::write_queue;
    return false;
  }
  write_back(flushed_, now);
  port_used_ = params_.ports;
  ++stats_.busy_cycles;
  return false;
}

void Cache::write_back(Entry entry, Cycle now) {
  auto& state = tags_.state(entry);
  for_each_run(state.dirty, [&](unsigned first, unsigned sectors) {
    const Bytes bytes = Bytes{sectors} << sector_bits_;
    lower_.add_write({.address = address_of(tags_.line(entry)) + (Bytes{first} << sector_bits_),
                      .bytes = bytes,
                      .write = true,
                      .tag = CacheRequestTag{.kind = CacheRequestTag::Kind::write_back}.pack()},
                     now + params_.tag_latency_cycles);
    ++stats_.write_backs;
    stats_.write_back_bytes += bytes;
  });
  state.dirty = 0;
}

}  // namespace tilewave
