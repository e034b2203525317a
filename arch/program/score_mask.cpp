// SPDX-License-Identifier: Apache-2.0
#include "arch/program/score_mask.hpp"

#include <algorithm>

namespace tilewave::program {

Count ScoreMask::tile_of(const LoopIndex& index) const {
  if (tiles() == 1) return 0;  // the dimension may be that of splits
  const auto place = static_cast<Count>(index[static_cast<std::size_t>(kBlockIndex + tile_dim)]);
  return reversed ? tiles() - 1 - place : place;
}

Count ScoreMask::first_key(Count tile) const {
  const Count position = first_position + tile * tile_queries;
  return window == 0 || position + 1 <= window ? 0 : position + 1 - window;
}

Count ScoreMask::end_key(Count tile) const {
  const Count last = std::min(queries, (tile + 1) * tile_queries) - 1;
  if (causal) return std::min(keys, first_position + last + 1);
  return window == 0 ? keys : std::min(keys, first_position + last + window);
}

ScoreMask::Passes ScoreMask::passes_of(const LoopIndex& block) const {
  const Count tile = tile_of(block);
  Count first = first_key(tile) / tile_keys, end = ceil_div(end_key(tile), tile_keys);
  if (splits > 1) {
    const auto split = static_cast<Count>(block[static_cast<std::size_t>(kBlockIndex + split_dim)]);
    const Count begin = first + split * split_passes;
    end = std::min(end, begin + split_passes);
    first = begin;
  }
  return {first, end > first ? end - first : 1};
}

Count ScoreMask::scores(Count tile, Count pass) const {
  const Count low = pass * tile_keys, high = std::min(keys, low + tile_keys);
  const Count begin = tile * tile_queries, end = std::min(queries, begin + tile_queries);
  if (low >= high || begin >= end) return 0;
  if (!causal && window == 0) return heads * (end - begin) * (high - low);
  Count sum = 0;
  for (Count q = begin; q < end; ++q) {
    const Count position = first_position + q;
    const Count from = window == 0 || position + 1 <= window ? 0 : position + 1 - window;
    const Count to = causal ? position + 1 : (window == 0 ? keys : position + window);
    const Count l = std::max(low, from), h = std::min(high, to);
    if (h > l) sum += h - l;
  }
  return heads * sum;
}

}  // namespace tilewave::program
