// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// Which data a cache of a GPU's L2 holds, in blocks of 64 rows x 128 bytes of a matrix, the pieces of
/// which (8 rows x 32 bytes) are fetched and written by themselves. Least recently used blocks leave.
///
/// Modelled: capacity, replacement, pieces that are there, on their way (with the time at which they
/// arrive) or dirty. Not modelled: sets and their conflicts (GPUs hash addresses), a line's own place.
class BlockCache {
 public:
  static constexpr Count kRows = 64, kPieceRows = 8;
  static constexpr Bytes kColumnBytes = 128, kSectorBytes = 32;
  static constexpr Bytes kPieceBytes = kPieceRows * kSectorBytes;
  using Mask = std::uint32_t;  ///< bit s + 4 g: sector s of the rows' group g

  struct Block {
    std::uint64_t key = 0;
    double ready = 0;        ///< when what was asked for last is there
    double dirty_since = 0;  ///< if it is dirty
    Mask present = 0, dirty = 0;
    Bytes dirty_bytes = 0;
    std::uint64_t dirty_mark = 0;  ///< of the time that it became dirty last
  };
  /// All that it knows: blocks, oldest first, and which of them are dirty, in the order in which they
  /// became so.
  struct State {
    std::vector<Block> blocks;
    std::vector<std::uint32_t> dirty;
  };

  explicit BlockCache(Bytes capacity_bytes);

  /// The block, the youngest now; empty (present = 0) if it was not there. A block that had to leave
  /// for it adds its dirty bytes to `evicted_dirty_bytes`. Valid until the next call.
  Block& touch(std::uint64_t key, Bytes& evicted_dirty_bytes);
  /// The block if it is there; its age stays.
  [[nodiscard]] Block* find(std::uint64_t key);

  /// Pieces written at `now`, `bytes` of them.
  void soil(Block& block, Mask mask, Bytes bytes, double now);
  /// Since when the block that has been dirty for longest is; none is: infinity.
  [[nodiscard]] double dirty_since();
  /// Cleans that block; its dirty bytes, 0 if there is none.
  [[nodiscard]] Bytes clean_oldest();
  [[nodiscard]] Bytes dirty_bytes() const;
  [[nodiscard]] std::size_t blocks() const noexcept { return used_; }

  [[nodiscard]] State state() const;
  void set_state(const State& state);
  /// Lets all times be `cycles` less; data that is there by then is there.
  void shift_times(double cycles);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    Block block;
    std::uint32_t younger = kNone, older = kNone, next_in_bucket = kNone;
  };
  [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> shift_);
  }
  [[nodiscard]] Block* oldest_dirty();
  [[nodiscard]] std::uint32_t look_up(std::uint64_t key) const noexcept;
  void unlink(std::uint32_t i) noexcept;
  void make_youngest(std::uint32_t i) noexcept;
  void leave_bucket(std::uint32_t i) noexcept;

  std::vector<Entry> entries_;
  struct Soiled {
    std::uint64_t key,
        mark;  ///< of a block; if its mark is another it has left or been cleaned since
  };
  std::deque<Soiled> dirty_;  ///< in the order in which they became dirty
  std::uint64_t marks_ = 0;
  std::vector<std::uint32_t> buckets_;
  unsigned shift_ = 0;
  std::uint32_t youngest_ = kNone, oldest_ = kNone;
  std::uint32_t used_ = 0;
};

}  // namespace tilewave
