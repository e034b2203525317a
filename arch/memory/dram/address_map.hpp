// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "arch/memory/dram/dram_params.hpp"

namespace tilewave {

/// Where bytes live. An address is cut into blocks of `interleave_bytes`; each group of `channels`
/// consecutive blocks has one block on each channel, in an order that a hash of the group's number
/// rotates (power-of-two counts: XORs). What a channel holds of consecutive groups is contiguous in
/// its own address space, which bit slices then map to bank, row and column. Both steps are
/// bijections. Beyond the capacity the row number just grows: the caller checks addresses.
class AddressMap {
 public:
  explicit AddressMap(const DramParams& dram);

  struct Place {
    std::uint32_t channel;
    std::uint64_t burst;  ///< number of the burst in the channel
  };
  /// The burst that holds the byte.
  [[nodiscard]] Place locate(std::uint64_t address) const noexcept {
    const std::uint64_t block = address / interleave_bytes_;
    const std::uint64_t group = channel_bits_ >= 0 ? block >> channel_bits_ : block / channels_;
    const std::uint64_t local = group * interleave_bytes_ + address % interleave_bytes_;
    return {channel_of(block - group * channels_, group), local >> burst_shift_};
  }

  struct Coordinates {
    std::uint32_t bank;    ///< number in the channel (DramTiming)
    std::uint32_t column;  ///< in bursts
    std::int64_t row;
  };
  /// Bank, row and column of a burst of a channel.
  [[nodiscard]] Coordinates coordinates(std::uint64_t burst) const noexcept {
    const Coordinates &low = low_[burst % kLow], high = slices_of(burst / kLow * kLow);
    return {low.bank ^ high.bank, low.column ^ high.column, low.row ^ high.row};
  }
  /// The same for bursts that mostly follow one another: keeps what the upper bits give.
  class Cursor {
   public:
    explicit Cursor(const AddressMap& map) : map_(&map), high_(map.slices_of(0)) {}
    [[nodiscard]] const AddressMap& map() const noexcept { return *map_; }
    [[nodiscard]] Coordinates coordinates(std::uint64_t burst) noexcept {
      if (burst / kLow != block_) {
        block_ = burst / kLow;
        high_ = map_->slices_of(block_ * kLow);
      }
      const Coordinates& low = map_->low_[burst % kLow];
      return {low.bank ^ high_.bank, low.column ^ high_.column, low.row ^ high_.row};
    }

   private:
    const AddressMap* map_;
    std::uint64_t block_ = 0;
    Coordinates high_;
  };

  /// Calls emit(channel, first burst, bursts) for what each channel holds of a run of bytes: once a
  /// block if the run is short, else once a channel. The parts of a channel come in ascending order.
  template <typename Emit>
  void split(std::uint64_t address, Bytes bytes, Emit&& emit) const;

  /// Within an aligned block of stripe_bursts(), bursts that are a multiple of period_bursts() apart
  /// are in the same bank and row. Equal numbers: there is no such regularity.
  [[nodiscard]] std::uint64_t period_bursts() const noexcept { return period_bursts_; }
  [[nodiscard]] std::uint64_t stripe_bursts() const noexcept { return stripe_bursts_; }

  [[nodiscard]] Bytes burst_bytes() const noexcept { return Bytes{1} << burst_shift_; }
  [[nodiscard]] std::uint64_t channels() const noexcept { return channels_; }

 private:
  [[nodiscard]] std::uint32_t channel_of(std::uint64_t position,
                                         std::uint64_t group) const noexcept {
    if (!hash_) return static_cast<std::uint32_t>(position);
    const std::uint64_t fold = fold_of(group);
    if (channel_bits_ >= 0) return static_cast<std::uint32_t>(position ^ fold);
    const std::uint64_t turned = position + fold;  // fold < channels
    return static_cast<std::uint32_t>(turned < channels_ ? turned : turned - channels_);
  }
  /// The block of the group that is on the channel: inverse of channel_of.
  [[nodiscard]] std::uint64_t position_of(std::uint64_t channel,
                                          std::uint64_t group) const noexcept {
    if (!hash_) return channel;
    const std::uint64_t fold = fold_of(group);
    if (channel_bits_ >= 0) return channel ^ fold;
    return channel >= fold ? channel - fold : channel + channels_ - fold;
  }
  /// XOR of all slices of the group's number, below `channels`.
  [[nodiscard]] std::uint64_t fold_of(std::uint64_t group) const noexcept {
    std::uint64_t fold = 0;
    for (; group != 0; group >>= slice_bits_) fold ^= group & slice_mask_;
    return channel_bits_ >= 0 ? fold : fold % channels_;
  }

  [[nodiscard]] Coordinates slices_of(std::uint64_t burst) const noexcept;

  struct Slice {
    unsigned from, bits, to;  // burst bits [from, from + bits) become bits [to, ...) of the field
    DramAddressField::Kind kind;
  };
  std::uint64_t channels_ = 1;
  Bytes interleave_bytes_ = 1;
  unsigned burst_shift_ = 0;
  int channel_bits_ = -1;  // -1: not a power of two
  bool hash_ = false;
  unsigned slice_bits_ = 1;
  std::uint64_t slice_mask_ = 1;
  std::vector<Slice> slices_;
  std::uint64_t period_bursts_ = 1, stripe_bursts_ = 1;
  struct Xor {
    std::size_t target, source;
    unsigned shift;
    std::uint64_t mask;
  };
  std::vector<Xor> xors_;
  std::array<unsigned, 6> bank_shift_{};  // of each field in the bank's number
  // Slices and XORs are linear over bits, so what the lowest bits give is a table.
  static constexpr std::uint64_t kLow = 256;
  std::array<Coordinates, kLow> low_{};
};

template <typename Emit>
void AddressMap::split(std::uint64_t address, Bytes bytes, Emit&& emit) const {
  if (bytes == 0) return;
  const std::uint64_t last = address + bytes - 1;
  const std::uint64_t first_block = address / interleave_bytes_,
                      last_block = last / interleave_bytes_;
  if (last_block - first_block < channels_) {
    for (std::uint64_t block = first_block; block <= last_block; ++block) {
      const std::uint64_t begin = std::max(address, block * interleave_bytes_);
      const std::uint64_t end = std::min(last, block * interleave_bytes_ + interleave_bytes_ - 1);
      const Place a = locate(begin), b = locate(end);
      emit(a.channel, a.burst, b.burst - a.burst + 1);
    }
    return;
  }
  const std::uint64_t first_group = first_block / channels_, last_group = last_block / channels_;
  // Where each channel's part begins and ends: the blocks of the first and the last group that the
  // run leaves out belong to channels that start a group later or end a group earlier.
  for (std::uint64_t position = 0; position < channels_; ++position) {
    const std::uint64_t channel = channel_of(position, first_group);
    std::uint64_t begin = first_group * interleave_bytes_;
    const std::uint64_t block = first_group * channels_ + position;
    if (block < first_block) {
      begin += interleave_bytes_;
    } else if (block == first_block) {
      begin += address % interleave_bytes_;
    }
    const std::uint64_t end_block = last_group * channels_ + position_of(channel, last_group);
    std::uint64_t end = last_group * interleave_bytes_;  // one past its last byte
    if (end_block < last_block) {
      end += interleave_bytes_;
    } else if (end_block == last_block) {
      end += last % interleave_bytes_ + 1;
    }
    if (end <= begin) continue;  // left out in both groups
    const std::uint64_t first_burst = begin >> burst_shift_;
    const std::uint64_t end_burst = (end + burst_bytes() - 1) >> burst_shift_;
    emit(static_cast<std::uint32_t>(channel), first_burst, end_burst - first_burst);
  }
}

}  // namespace tilewave
