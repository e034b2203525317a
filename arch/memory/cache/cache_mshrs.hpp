// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "arch/memory/cache/cache_tags.hpp"

namespace tilewave {

/// Miss status holding registers: one for each line of which sectors are on their way, with the
/// look-ups that wait for them, in order. Bounded; allocates once. A line that is not to be kept has
/// an MSHR without an entry of the tags, and is found by its number.
class CacheMshrs {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = CacheTags::kNoMshr;

  /// `merges`: look-ups that may wait in one beside the first.
  CacheMshrs(Count mshrs, Count merges) : mshrs_(mshrs), waiting_(mshrs * (merges + 1)) {
    max_waiting_ = static_cast<std::uint32_t>(merges + 1);
    free_.reserve(mshrs);
    unkept_.reserve(mshrs);
    for (Index i = 0; i < mshrs; ++i) free_.push_back(static_cast<Index>(mshrs - 1 - i));
    for (Index i = 0; i < waiting_.size(); ++i) waiting_[i].next = i + 1;
    waiting_.back().next = kNone;
  }

  [[nodiscard]] bool full() const noexcept { return free_.empty(); }
  [[nodiscard]] Count used() const noexcept { return mshrs_.size() - free_.size(); }

  /// Must not be full. `entry`: CacheTags::kNone for a line that is not kept.
  Index allocate(std::uint64_t line, CacheTags::Entry entry) {
    const Index i = free_.back();
    free_.pop_back();
    mshrs_[i] = {.line = line, .entry = entry};
    if (entry == CacheTags::kNone) unkept_.push_back(i);
    return i;
  }
  /// Nothing may be pending.
  void release(Index i) {
    if (mshrs_[i].entry == CacheTags::kNone) {
      *std::find(unkept_.begin(), unkept_.end(), i) = unkept_.back();
      unkept_.pop_back();
    }
    mshrs_[i].line = CacheTags::kNoLine;
    free_.push_back(i);
  }
  /// The MSHR of a line that is not kept, or kNone.
  [[nodiscard]] Index find_unkept(std::uint64_t line) const {
    for (const Index i : unkept_) {
      if (mshrs_[i].line == line) return i;
    }
    return kNone;
  }

  void ask(Index i, SectorMask sectors) { mshrs_[i].pending |= sectors; }
  [[nodiscard]] SectorMask pending(Index i) const { return mshrs_[i].pending; }
  [[nodiscard]] CacheTags::Entry entry(Index i) const { return mshrs_[i].entry; }
  /// CacheTags::kNoLine if the MSHR is free.
  [[nodiscard]] std::uint64_t line(Index i) const { return mshrs_[i].line; }
  [[nodiscard]] std::size_t size() const noexcept { return mshrs_.size(); }

  [[nodiscard]] bool may_wait(Index i) const { return mshrs_[i].waiting < max_waiting_; }
  /// Request `slot` waits for pending sectors; may_wait() must hold.
  void wait(Index i, std::uint32_t slot, SectorMask sectors) {
    Mshr& m = mshrs_[i];
    const std::uint32_t place = free_waiting_;
    free_waiting_ = waiting_[place].next;
    waiting_[place] = {.slot = slot, .sectors = sectors, .next = kNone};
    (m.last == kNone ? m.first : waiting_[m.last].next) = place;
    m.last = place;
    ++m.waiting;
  }
  /// Sectors have come: served(slot) for each look-up that now has all it waited for, in order.
  template <typename Served>
  void fill(Index i, SectorMask sectors, Served&& served) {
    Mshr& m = mshrs_[i];
    m.pending &= ~sectors;
    std::uint32_t* link = &m.first;
    m.last = kNone;
    while (*link != kNone) {
      const std::uint32_t place = *link;
      Waiting& w = waiting_[place];
      w.sectors &= ~sectors;
      if (w.sectors != 0) {
        m.last = place;
        link = &w.next;
        continue;
      }
      *link = w.next;
      w.next = free_waiting_;
      free_waiting_ = place;
      --m.waiting;
      served(w.slot);
    }
  }

 private:
  struct Mshr {
    std::uint64_t line = CacheTags::kNoLine;
    CacheTags::Entry entry = CacheTags::kNone;
    SectorMask pending = 0;
    std::uint32_t waiting = 0, first = kNone, last = kNone;
  };
  struct Waiting {
    std::uint32_t slot = 0;
    SectorMask sectors = 0;
    std::uint32_t next = kNone;
  };
  std::vector<Mshr> mshrs_;
  std::vector<Waiting> waiting_;
  std::vector<Index> free_, unkept_;
  std::uint32_t free_waiting_ = 0, max_waiting_ = 0;
};

}  // namespace tilewave
