// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/address_map.hpp"

#include <bit>

namespace tilewave {

using Kind = DramAddressField::Kind;

namespace {

unsigned bits_of(Count power_of_two) {
  return static_cast<unsigned>(std::countr_zero(power_of_two));
}

}  // namespace

AddressMap::AddressMap(const DramParams& dram)
    : channels_(dram.organisation.channels),
      interleave_bytes_(dram.map.interleave_bytes),
      burst_shift_(bits_of(dram.organisation.burst_bytes())),
      channel_bits_(std::has_single_bit(channels_) ? static_cast<int>(bits_of(channels_)) : -1),
      hash_(dram.map.channel_hash && channels_ > 1),
      slice_bits_(std::max(1U, static_cast<unsigned>(std::bit_width(channels_ - 1)))),
      slice_mask_((std::uint64_t{1} << slice_bits_) - 1) {
  const auto& o = dram.organisation;
  unsigned from = 0;
  std::array<unsigned, 6> filled{};
  for (const DramAddressField& field : dram.map.fields) {
    const auto kind = static_cast<std::size_t>(field.kind);
    // The topmost slice, of the row, takes all bits that are left.
    const unsigned bits = &field == &dram.map.fields.back() ? 63 - from : field.bits;
    if (bits == 0) continue;
    slices_.push_back({.from = from, .bits = bits, .to = filled[kind], .kind = field.kind});
    filled[kind] += bits;
    from += bits;
  }
  for (const DramAddressXor& x : dram.map.xors) {
    const auto target = static_cast<std::size_t>(x.target);
    xors_.push_back({.target = target,
                     .source = static_cast<std::size_t>(x.source),
                     .shift = x.shift,
                     .mask = (std::uint64_t{1} << filled[target]) - 1});
  }
  // The topmost slice of the column, if no bank is made of column bits.
  for (const Slice& slice : slices_) {
    if (slice.kind != Kind::column) continue;
    period_bursts_ = std::uint64_t{1} << slice.from;
    stripe_bursts_ = std::uint64_t{1} << (slice.from + slice.bits);
  }
  for (const DramAddressXor& x : dram.map.xors) {
    if (x.source == Kind::column) period_bursts_ = stripe_bursts_;
  }
  const auto shift = [this](Kind kind) -> unsigned& {
    return bank_shift_[static_cast<std::size_t>(kind)];
  };
  shift(Kind::bank_group) = bits_of(o.banks);
  shift(Kind::rank) = shift(Kind::bank_group) + bits_of(o.bank_groups);
  shift(Kind::pseudo_channel) = shift(Kind::rank) + bits_of(o.ranks);
  for (std::uint64_t i = 0; i < kLow; ++i) low_[i] = slices_of(i);
}

AddressMap::Coordinates AddressMap::slices_of(std::uint64_t burst) const noexcept {
  std::array<std::uint64_t, 6> field{};
  for (const Slice& s : slices_) {
    const std::uint64_t value = burst >> s.from & ((std::uint64_t{1} << s.bits) - 1);
    field[static_cast<std::size_t>(s.kind)] |= value << s.to;
  }
  for (const Xor& x : xors_) field[x.target] ^= field[x.source] >> x.shift & x.mask;
  std::uint64_t bank = 0;
  for (const Kind kind : {Kind::pseudo_channel, Kind::rank, Kind::bank_group, Kind::bank}) {
    const auto k = static_cast<std::size_t>(kind);
    bank |= field[k] << bank_shift_[k];
  }
  return {.bank = static_cast<std::uint32_t>(bank),
          .column = static_cast<std::uint32_t>(field[static_cast<std::size_t>(Kind::column)]),
          .row = static_cast<std::int64_t>(field[static_cast<std::size_t>(Kind::row)])};
}

}  // namespace tilewave
