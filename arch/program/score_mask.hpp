// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/affine.hpp"

namespace tilewave::program {

/// Queues of an SM's vector unit: 0 is its fp32 lanes; special function units (exponentials, reciprocals);
/// integer lanes, which also take maxima and conversions.
inline constexpr int kSpecialQueue = 1, kIntegerQueue = 2;

/// Which scores of an attention are asked for, and how blocks of a grid share them. Query i stands at
/// position first_position + i and sees positions from window behind it (itself included; 0: from 0) to
/// its own (causal) or to the end.
struct ScoreMask {
  Count queries = 0, keys = 0;
  Count first_position = 0, window = 0;
  bool causal = false;
  /// A block has `tile_queries` queries of each of `heads` heads; its tile is its place in `tile_dim`,
  /// counted from the last tile down if `reversed`. A pass of its loop is `tile_keys` keys.
  Count tile_queries = 1, heads = 1, tile_keys = 1;
  int tile_dim = 0;
  bool reversed = false;
  /// Splits of the keys over blocks, `split_passes` passes each, along `split_dim`; 1: none.
  Count splits = 1, split_passes = 0;
  int split_dim = 0;
  friend bool operator==(const ScoreMask&, const ScoreMask&) = default;

  [[nodiscard]] Count tiles() const { return ceil_div(queries, tile_queries); }
  [[nodiscard]] Count tile_of(const LoopIndex& index) const;
  /// Keys that the queries of a tile see: [first_key, end_key).
  [[nodiscard]] Count first_key(Count tile) const;
  [[nodiscard]] Count end_key(Count tile) const;
  /// Passes of the block: which, of all that the keys come to. At least one.
  struct Passes {
    Count first = 0, count = 1;
  };
  [[nodiscard]] Passes passes_of(const LoopIndex& block) const;
  /// Scores that are asked for in pass `pass` (of all) of a block of this tile, of all its heads.
  [[nodiscard]] Count scores(Count tile, Count pass) const;
};

}  // namespace tilewave::program
