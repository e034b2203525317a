// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/units.hpp"

namespace tilewave {

enum class CacheReplacement : std::uint8_t {
  lru,        ///< the line unused for longest
  tree_plru,  ///< a bit for each pair, each pair of pairs, …, of a power of two of ways
  random      ///< any, by a generator with a seed
};
enum class CacheWritePolicy : std::uint8_t {
  write_back,    ///< written sectors stay and are dirty
  write_through  ///< written sectors go below at once
};
enum class CacheIndexHash : std::uint8_t {
  none,     ///< the lowest bits of the line's number, or its rest modulo the sets
  xor_fold  ///< all upper bits go in
};

/// A cache: a core's, or all slices of one that is cut by address. Sizes are of all slices
/// together, all else is of one slice (which is the whole, if there is one).
struct CacheParams {
  Bytes capacity_bytes = 0;
  Count ways = 1;
  Bytes line_bytes = 128;   ///< a power of two: what a tag is for
  Bytes sector_bytes = 32;  ///< a power of two, at most 32 a line: what is valid, dirty, fetched
  CacheReplacement replacement = CacheReplacement::lru;
  Count seed = 1;  ///< of replacement `random`
  CacheWritePolicy write_policy = CacheWritePolicy::write_back;
  bool write_allocate = true;  ///< a write that misses takes a line; else it goes below
  CacheIndexHash index_hash = CacheIndexHash::none;

  Count ports = 1;  ///< tag look-ups a cycle
  Count banks = 1;
  Bytes bank_bytes_per_cycle = 0;
  Bytes bank_interleave_bytes = 0;  ///< consecutive bytes of a line in one bank
  Bytes fill_bytes_per_cycle = 0;   ///< port through which fills come
  Cycle hit_latency_cycles = 1;     ///< from the look-up to the response
  Cycle tag_latency_cycles = 1;     ///< from the look-up to the request below; not over the former
  Count mshrs = 1;                  ///< lines that wait for fills
  Count mshr_merges = 0;            ///< further look-ups that may wait for the same line
  bool hit_under_miss = false;      ///< hits may pass a look-up that waits for a place
  Count write_queue_depth = 1;      ///< writes on their way below

  Count slices = 1;
  Bytes slice_interleave_bytes = 0;  ///< consecutive bytes of one slice; 0 if there is one slice
  Count partitions = 1;              ///< groups of slices; a client is near to one
  Cycle far_latency_cycles = 0;      ///< to the slices of another partition and back

  [[nodiscard]] constexpr Count sectors_per_line() const noexcept {
    return line_bytes / sector_bytes;
  }
  [[nodiscard]] constexpr Count lines_per_slice() const noexcept {
    return capacity_bytes / slices / line_bytes;
  }
  [[nodiscard]] constexpr Count sets() const noexcept { return lines_per_slice() / ways; }
  /// Most bytes that the banks deliver.
  [[nodiscard]] constexpr Bytes bytes_per_cycle() const noexcept {
    return banks * bank_bytes_per_cycle;
  }
};

}  // namespace tilewave
