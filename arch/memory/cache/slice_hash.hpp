// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "sim/units.hpp"

namespace tilewave {

/// XOR of all groups of `bits` bits of `value`: each bit of it changes the outcome. Requires
/// bits < 64; with 0 bits it is 0.
[[nodiscard]] constexpr std::uint64_t xor_fold(std::uint64_t value, unsigned bits) noexcept {
  if (bits == 0) return 0;
  std::uint64_t folded = 0;
  for (; value != 0; value >>= bits) folded ^= value;
  return folded & ((std::uint64_t{1} << bits) - 1);
}

/// All bits of `value` stirred, one to one: xor-shifts and odd multipliers (2^64 / golden ratio and
/// 2^64 / e, made odd), so that no stride of `value` keeps a pattern.
[[nodiscard]] constexpr std::uint64_t stir(std::uint64_t value) noexcept {
  value ^= value >> 32U;
  value *= 0x9E37'79B9'7F4A'7C15U;
  value ^= value >> 32U;
  value *= 0x5E2D'58D8'B3BC'DF1BU;
  return value ^ (value >> 32U);
}

/// Which of `count` places block `block` goes to, and its number there: each aligned group of
/// `count` blocks has one on each place, in an order that depends on the group. A power of two:
/// block ^ fold of all upper bits. Other counts: (block + stirred number of the group) modulo count.
class BlockSpread {
 public:
  /// Requires count >= 1.
  explicit constexpr BlockSpread(Count count) noexcept
      : count_(count),
        bits_(static_cast<unsigned>(std::countr_zero(count))),
        power_of_two_(std::has_single_bit(count)) {}

  [[nodiscard]] constexpr Count place(std::uint64_t block) const noexcept {
    if (power_of_two_) return xor_fold(block, bits_);
    const std::uint64_t group = block / count_;
    return (block - group * count_ + stir(group) % count_) % count_;
  }
  /// The group that the block is of, which is its number among the blocks of its place.
  [[nodiscard]] constexpr std::uint64_t group(std::uint64_t block) const noexcept {
    return power_of_two_ ? block >> bits_ : block / count_;
  }
  [[nodiscard]] constexpr Count count() const noexcept { return count_; }

 private:
  Count count_;
  unsigned bits_;
  bool power_of_two_;
};

/// Address -> slice of a cache that is cut into slices by address, `interleave_bytes` at a time.
/// Modelled: consecutive blocks go once round all slices before one is used again, and power-of-two
/// strides spread over any number of slices. Not modelled: the very function of a vendor, none of
/// which is published.
class SliceHash {
 public:
  /// Requires slices >= 1 and interleave_bytes >= 1.
  constexpr SliceHash(Count slices, Bytes interleave_bytes) noexcept
      : spread_(slices), interleave_bytes_(interleave_bytes) {}

  [[nodiscard]] constexpr Count slice_of(std::uint64_t address) const noexcept {
    return spread_.place(address / interleave_bytes_);
  }
  [[nodiscard]] constexpr Count slices() const noexcept { return spread_.count(); }

 private:
  BlockSpread spread_;
  Bytes interleave_bytes_;
};

/// A cache in partitions (the two halves of the L2 of A100 and H100): slices and clients belong to
/// one each, and a client reaches the slices of another partition over a longer path. Modelled: the
/// home slice of an address, wherever the client is. Not modelled: copies in the client's own
/// partition (that of A100 keeps some) and the bandwidth between the partitions, which is the
/// interconnect's. Timing: a request to another partition and its response together take
/// far_latency_cycles more than to the own one.
class SlicePlacement {
 public:
  /// Requires partitions >= 1 that divide the slices: the first slices / partitions are of
  /// partition 0, and so on.
  constexpr SlicePlacement(Count slices, Count partitions, Cycle far_latency_cycles) noexcept
      : slices_each_(slices / partitions), far_latency_cycles_(far_latency_cycles) {}

  [[nodiscard]] constexpr Count partition_of(Count slice) const noexcept {
    return slice / slices_each_;
  }
  [[nodiscard]] constexpr Cycle extra_cycles(Count client_partition, Count slice) const noexcept {
    return partition_of(slice) == client_partition ? 0 : far_latency_cycles_;
  }

 private:
  Count slices_each_;
  Cycle far_latency_cycles_;
};

}  // namespace tilewave
