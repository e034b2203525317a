// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "arch/memory/cache/cache_params.hpp"
#include "arch/memory/cache/slice_hash.hpp"

namespace tilewave {

/// The order in which the lines of each set make room. A line that may not go (it waits for a fill)
/// is passed over: lru takes the one used next, tree_plru and random the next way round.
class VictimOrder {
 public:
  static constexpr Count kNone = std::numeric_limits<Count>::max();

  explicit VictimOrder(const CacheParams& p)
      : policy_(p.replacement),
        ways_(p.ways),
        levels_(static_cast<unsigned>(std::countr_zero(p.ways))),
        seed_(p.seed) {
    if (policy_ == CacheReplacement::lru) last_use_.resize(p.sets() * p.ways, 0);
    if (policy_ == CacheReplacement::tree_plru) trees_.resize(p.sets(), 0);
  }

  /// The line was used: it is the last to go.
  void use(std::size_t set, Count way) {
    if (policy_ == CacheReplacement::lru) {
      last_use_[set * ways_ + way] = ++uses_;
    } else if (policy_ == CacheReplacement::tree_plru) {
      point(set, way, 1);
    }
  }
  /// The line is the first to go. No effect with replacement `random`.
  void put_first(std::size_t set, Count way) {
    if (policy_ == CacheReplacement::lru) {
      std::int64_t& own = last_use_[set * ways_ + way];
      own = std::numeric_limits<std::int64_t>::max();
      const auto* const begin = &last_use_[set * ways_];
      const std::int64_t oldest = *std::min_element(begin, begin + ways_);
      own = ways_ > 1 ? oldest - 1 : 0;
    } else if (policy_ == CacheReplacement::tree_plru) {
      point(set, way, 0);
    }
  }
  /// The way that makes room, of those for which may_go(way); kNone if there is none. Changes
  /// nothing.
  template <typename MayGo>
  [[nodiscard]] Count victim(std::size_t set, MayGo&& may_go) const {
    if (policy_ == CacheReplacement::lru) {
      const auto* const last_use = &last_use_[set * ways_];
      Count oldest = static_cast<Count>(std::min_element(last_use, last_use + ways_) - last_use);
      if (may_go(oldest)) return oldest;
      oldest = kNone;
      for (Count way = 0; way < ways_; ++way) {
        if ((oldest == kNone || last_use[way] < last_use[oldest]) && may_go(way)) oldest = way;
      }
      return oldest;
    }
    const Count first =
        policy_ == CacheReplacement::random ? stir(seed_ + draws_) % ways_ : follow(set);
    for (Count i = 0; i < ways_; ++i) {
      const Count way = (first + i) % ways_;
      if (may_go(way)) return way;
    }
    return kNone;
  }
  /// A line has gone: the next draw of `random` is another one.
  void gone() noexcept { ++draws_; }

 private:
  // Node 1 is the root of the tree of a set, 2n and 2n + 1 are the halves of node n; its bit says
  // which half goes first. Leaf `way` is node ways + way.
  void point(std::size_t set, Count way, unsigned to_other_half) {
    std::uint64_t& tree = trees_[set];
    for (Count node = ways_ + way; node > 1; node >>= 1U) {
      const std::uint64_t half = (node & 1U) ^ to_other_half;
      const std::uint64_t bit = std::uint64_t{1} << (node >> 1U);
      tree = half != 0 ? tree | bit : tree & ~bit;
    }
  }
  [[nodiscard]] Count follow(std::size_t set) const {
    Count node = 1;
    for (unsigned level = 0; level < levels_; ++level) {
      node = 2 * node + ((trees_[set] >> node) & 1U);
    }
    return node - ways_;
  }

  CacheReplacement policy_;
  Count ways_;
  unsigned levels_;
  std::int64_t uses_ = 0;
  std::vector<std::int64_t> last_use_;  // lru
  std::vector<std::uint64_t> trees_;    // tree_plru
  Count seed_, draws_ = 0;              // random
};

}  // namespace tilewave
