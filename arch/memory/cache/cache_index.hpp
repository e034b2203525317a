// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "arch/memory/cache/cache_params.hpp"
#include "arch/memory/cache/slice_hash.hpp"

namespace tilewave {

/// Number of a line -> its set. In a slice, lines are counted as they come to this slice (the
/// SliceHash gives it one block of each group), so that all sets are used alike. Any number of sets:
/// an aligned run of as many lines has one in each, with either hash.
class CacheIndex {
 public:
  explicit CacheIndex(const CacheParams& p)
      : spread_(p.sets()),
        blocks_(p.slices),
        sliced_(p.slices > 1),
        hashed_(p.index_hash == CacheIndexHash::xor_fold),
        power_of_two_(std::has_single_bit(p.sets())),
        block_bits_(sliced_ ? static_cast<unsigned>(
                                  std::countr_zero(p.slice_interleave_bytes / p.line_bytes))
                            : 0) {}

  /// `line`: address / line_bytes.
  [[nodiscard]] std::uint64_t local(std::uint64_t line) const noexcept {
    if (!sliced_) return line;
    const std::uint64_t within = line & ((std::uint64_t{1} << block_bits_) - 1);
    return (blocks_.group(line >> block_bits_) << block_bits_) | within;
  }
  /// `local`: from local().
  [[nodiscard]] std::size_t set_of(std::uint64_t local) const noexcept {
    if (hashed_) return static_cast<std::size_t>(spread_.place(local));
    const Count sets = spread_.count();
    return static_cast<std::size_t>(power_of_two_ ? local & (sets - 1) : local % sets);
  }

 private:
  BlockSpread spread_;  // over sets
  BlockSpread blocks_;  // over slices
  bool sliced_, hashed_, power_of_two_;
  unsigned block_bits_;  // lines of a block, log2
};

}  // namespace tilewave
