// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "arch/memory/cache/cache_params.hpp"
#include "arch/memory/cache/cache_replacement.hpp"

namespace tilewave {

/// A bit for each sector of a line, the first one lowest.
using SectorMask = std::uint32_t;

/// Sectors [first, end) of a line.
[[nodiscard]] constexpr SectorMask sectors_between(Count first, Count end) noexcept {
  return end <= first ? 0
                      : static_cast<SectorMask>(((std::uint64_t{1} << (end - first)) - 1) << first);
}

/// Calls each(first sector, number of sectors) for each run of adjacent sectors of the mask.
template <typename Each>
void for_each_run(SectorMask mask, Each&& each) {
  unsigned first = 0;
  for (std::uint64_t rest = mask; rest != 0;) {
    const auto gap = static_cast<unsigned>(std::countr_zero(rest));
    rest >>= gap;
    const auto length = static_cast<unsigned>(std::countr_one(rest));
    each(first + gap, length);
    rest >>= length;
    first += gap + length;
  }
}
[[nodiscard]] constexpr Count count_runs(SectorMask mask) noexcept {
  return static_cast<Count>(std::popcount(mask & ~(mask << 1U)));
}

/// Which lines a cache holds and in which state their sectors are. A plain table: no timing.
class CacheTags {
 public:
  /// An entry of the table: set x ways + way.
  using Entry = std::size_t;
  static constexpr Entry kNone = std::numeric_limits<Entry>::max();
  static constexpr std::uint32_t kNoMshr = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t kNoLine = std::numeric_limits<std::uint64_t>::max();

  struct State {
    SectorMask valid = 0, dirty = 0;
    std::uint32_t mshr = kNoMshr;  ///< that fetches sectors of it; the line stays until they came
  };

  explicit CacheTags(const CacheParams& p)
      : ways_(p.ways),
        words_(ceil_div(p.ways, Count{8})),
        lines_(p.sets() * p.ways, kNoLine),
        states_(p.sets() * p.ways),
        prints_(p.sets() * words_, print_of(kNoLine) * kEachByte),
        order_(p) {}

  [[nodiscard]] Entry find(std::size_t set, std::uint64_t line) const {
    // Eight ways at a time by a byte of their lines; equal ones make a zero byte, whose highest bit
    // is set below (and rarely that of a byte above it, so that the line itself decides).
    const std::uint64_t* const prints = &prints_[set * words_];
    const std::uint64_t wanted = print_of(line) * kEachByte;
    for (Count word = 0; word < words_; ++word) {
      const std::uint64_t differs = prints[word] ^ wanted;
      std::uint64_t equal = (differs - kEachByte) & ~differs & (kEachByte << 7U);
      for (; equal != 0; equal &= equal - 1) {
        const Count way = 8 * word + static_cast<Count>(std::countr_zero(equal)) / 8;
        if (way < ways_ && lines_[set * ways_ + way] == line) return set * ways_ + way;
      }
    }
    return kNone;
  }
  /// The entry that a new line of the set would take: an empty one, else that of the line that makes
  /// room; kNone if all wait for fills.
  [[nodiscard]] Entry room(std::size_t set) const {
    if (lines_used_ < lines_.size()) {
      const Entry empty = find(set, kNoLine);
      if (empty != kNone) return empty;
    }
    const Count way =
        order_.victim(set, [&](Count w) { return states_[set * ways_ + w].mshr == kNoMshr; });
    return way == VictimOrder::kNone ? kNone : set * ways_ + way;
  }
  /// Puts a line without sectors into an entry. True if another line had to go.
  bool replace(std::size_t set, Entry entry, std::uint64_t line) {
    const bool evicts = lines_[entry] != kNoLine;
    if (evicts) {
      order_.gone();
    } else {
      ++lines_used_;
    }
    lines_[entry] = line;
    const Count way = entry - set * ways_;
    std::uint64_t& word = prints_[set * words_ + way / 8];
    const auto shift = static_cast<unsigned>(way % 8 * 8);
    word = (word & ~(std::uint64_t{0xFF} << shift)) | print_of(line) << shift;
    states_[entry] = {};
    return evicts;
  }
  /// Empties all entries.
  void clear() {
    std::fill(lines_.begin(), lines_.end(), kNoLine);
    std::fill(states_.begin(), states_.end(), State{});
    std::fill(prints_.begin(), prints_.end(), print_of(kNoLine) * kEachByte);
    lines_used_ = 0;
  }
  void use(std::size_t set, Entry entry) { order_.use(set, entry - set * ways_); }
  void put_first(std::size_t set, Entry entry) { order_.put_first(set, entry - set * ways_); }

  [[nodiscard]] State& state(Entry entry) { return states_[entry]; }
  [[nodiscard]] const State& state(Entry entry) const { return states_[entry]; }
  [[nodiscard]] std::uint64_t line(Entry entry) const { return lines_[entry]; }
  [[nodiscard]] std::size_t entries() const noexcept { return lines_.size(); }
  [[nodiscard]] Count ways() const noexcept { return ways_; }

 private:
  static constexpr std::uint64_t kEachByte = 0x0101'0101'0101'0101U;
  [[nodiscard]] static constexpr std::uint64_t print_of(std::uint64_t line) noexcept {
    return (line * 0x9E37'79B9'7F4A'7C15U) >> 56U;
  }

  Count ways_, words_;
  std::size_t lines_used_ = 0;
  std::vector<std::uint64_t> lines_;
  std::vector<State> states_;
  std::vector<std::uint64_t> prints_;  // a byte for each way, in words of eight
  VictimOrder order_;
};

}  // namespace tilewave
