// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/shared_l2/block_cache.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace tilewave {

namespace {
constexpr Bytes kBlockBytes = BlockCache::kRows * BlockCache::kColumnBytes;
}  // namespace

BlockCache::BlockCache(Bytes capacity_bytes) {
  const std::size_t count = std::max<std::size_t>(1, capacity_bytes / kBlockBytes);
  entries_.resize(count);
  const std::size_t buckets = std::bit_ceil(2 * count);
  buckets_.assign(buckets, kNone);
  shift_ = static_cast<unsigned>(64 - std::countr_zero(buckets));
}

std::uint32_t BlockCache::look_up(std::uint64_t key) const noexcept {
  std::uint32_t i = buckets_[bucket_of(key)];
  while (i != kNone && entries_[i].block.key != key) i = entries_[i].next_in_bucket;
  return i;
}

BlockCache::Block* BlockCache::find(std::uint64_t key) {
  const std::uint32_t i = look_up(key);
  return i == kNone ? nullptr : &entries_[i].block;
}

void BlockCache::unlink(std::uint32_t i) noexcept {
  Entry& e = entries_[i];
  (e.younger == kNone ? youngest_ : entries_[e.younger].older) = e.older;
  (e.older == kNone ? oldest_ : entries_[e.older].younger) = e.younger;
}

void BlockCache::make_youngest(std::uint32_t i) noexcept {
  Entry& e = entries_[i];
  e.younger = kNone;
  e.older = youngest_;
  (youngest_ == kNone ? oldest_ : entries_[youngest_].younger) = i;
  youngest_ = i;
}

void BlockCache::leave_bucket(std::uint32_t i) noexcept {
  std::uint32_t* link = &buckets_[bucket_of(entries_[i].block.key)];
  while (*link != i) link = &entries_[*link].next_in_bucket;
  *link = entries_[i].next_in_bucket;
}

BlockCache::Block& BlockCache::touch(std::uint64_t key, Bytes& evicted_dirty_bytes) {
  std::uint32_t i = look_up(key);
  if (i != kNone) {
    if (i != youngest_) {
      unlink(i);
      make_youngest(i);
    }
    return entries_[i].block;
  }
  if (used_ < entries_.size()) {
    i = used_++;
  } else {
    i = oldest_;
    evicted_dirty_bytes += entries_[i].block.dirty_bytes;
    leave_bucket(i);
    unlink(i);
  }
  Entry& e = entries_[i];
  e.block = {.key = key};
  std::uint32_t& head = buckets_[bucket_of(key)];
  e.next_in_bucket = head;
  head = i;
  make_youngest(i);
  return e.block;
}

void BlockCache::soil(Block& block, Mask mask, Bytes bytes, double now) {
  if (block.dirty == 0) {
    block.dirty_since = now;
    block.dirty_mark = ++marks_;
    dirty_.push_back({block.key, block.dirty_mark});
  }
  const Mask fresh = mask & ~block.dirty;
  // A piece has the mean of those written with it.
  const auto pieces = static_cast<Bytes>(std::popcount(mask));
  block.dirty_bytes += ceil_div(bytes * static_cast<Bytes>(std::popcount(fresh)), pieces);
  block.dirty |= fresh;
}

BlockCache::Block* BlockCache::oldest_dirty() {
  for (; !dirty_.empty(); dirty_.pop_front()) {
    const auto& [key, mark] = dirty_.front();
    Block* block = find(key);
    if (block != nullptr && block->dirty != 0 && block->dirty_mark == mark) return block;
  }
  return nullptr;
}

double BlockCache::dirty_since() {
  const Block* block = oldest_dirty();
  return block == nullptr ? std::numeric_limits<double>::infinity() : block->dirty_since;
}

Bytes BlockCache::clean_oldest() {
  Block* block = oldest_dirty();
  if (block == nullptr) return 0;
  dirty_.pop_front();
  block->dirty = 0;
  return std::exchange(block->dirty_bytes, 0);
}

BlockCache::State BlockCache::state() const {
  State state;
  state.blocks.reserve(used_);
  std::vector<std::uint32_t> place(used_);
  for (std::uint32_t i = oldest_; i != kNone; i = entries_[i].younger) {
    place[i] = static_cast<std::uint32_t>(state.blocks.size());
    state.blocks.push_back(entries_[i].block);
  }
  for (const Soiled& soiled : dirty_) {
    const std::uint32_t i = look_up(soiled.key);
    if (i == kNone || entries_[i].block.dirty == 0) continue;
    if (entries_[i].block.dirty_mark == soiled.mark) state.dirty.push_back(place[i]);
  }
  return state;
}

void BlockCache::set_state(const State& state) {
  std::ranges::fill(buckets_, kNone);
  dirty_.clear();
  youngest_ = oldest_ = kNone;
  used_ = 0;
  Bytes evicted = 0;
  for (const Block& block : state.blocks) touch(block.key, evicted) = block;
  for (const std::uint32_t i : state.dirty) {
    Block& block = *find(state.blocks[i].key);
    block.dirty_mark = ++marks_;
    dirty_.push_back({block.key, block.dirty_mark});
  }
}

void BlockCache::shift_times(double cycles) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    Block& block = entries_[i].block;
    block.ready = std::max(0.0, block.ready - cycles);
    block.dirty_since -= cycles;
  }
}

Bytes BlockCache::dirty_bytes() const {
  Bytes bytes = 0;
  for (std::uint32_t i = 0; i < used_; ++i) bytes += entries_[i].block.dirty_bytes;
  return bytes;
}

}  // namespace tilewave
