// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "arch/memory/cache/cache_params.hpp"
#include "sim/resources.hpp"

namespace tilewave {

/// The data banks: bank_interleave_bytes of a line are in one, the next ones in the next, and so on
/// over the lines. An access occupies each bank it touches for ceil(bytes in it / width) cycles from
/// the same cycle on, so it begins when all of them are free.
class CacheBanks {
 public:
  explicit CacheBanks(const CacheParams& p)
      : banks_(p.banks),
        power_of_two_(std::has_single_bit(p.banks) && std::has_single_bit(p.bank_bytes_per_cycle)),
        width_(p.bank_bytes_per_cycle),
        width_bits_(static_cast<unsigned>(std::countr_zero(width_))),
        chunk_bits_(static_cast<unsigned>(std::countr_zero(p.bank_interleave_bytes))),
        line_bits_(static_cast<unsigned>(std::countr_zero(p.line_bytes))) {}

  /// The earliest cycle, not before `now`, at which bytes [offset, offset + bytes) of line `local`
  /// can be accessed.
  [[nodiscard]] Cycle earliest(Cycle now, std::uint64_t local, Bytes offset, Bytes bytes) const {
    Cycle cycle = now;
    for_each_chunk(local, offset, bytes, [&](std::size_t bank, Bytes) {
      cycle = std::max(cycle, banks_[bank].free_from());
    });
    return cycle;
  }
  /// Occupies the banks from `now` on; the longest time that it does so for one.
  Cycle occupy(Cycle now, std::uint64_t local, Bytes offset, Bytes bytes) {
    Cycle longest = 0;
    for_each_chunk(local, offset, bytes, [&](std::size_t bank, Bytes in_it) {
      const Cycle begin = std::max(now, banks_[bank].free_from());
      banks_[bank].occupy(begin, cycles_for(in_it));
      longest = std::max(longest, banks_[bank].free_from() - now);
    });
    return longest;
  }

 private:
  template <typename Each>
  void for_each_chunk(std::uint64_t local, Bytes offset, Bytes bytes, Each&& each) const {
    const Bytes chunk_bytes = Bytes{1} << chunk_bits_;
    const Bytes end = offset + bytes;
    const std::uint64_t chunk = (local << (line_bits_ - chunk_bits_)) + (offset >> chunk_bits_);
    auto bank = static_cast<std::size_t>(power_of_two_ ? chunk & (banks_.size() - 1)
                                                       : chunk % banks_.size());
    for (Bytes at = offset; at < end;) {
      const Bytes next = std::min(end, (at | (chunk_bytes - 1)) + 1);
      each(bank, next - at);
      at = next;
      if (++bank == banks_.size()) bank = 0;
    }
  }

  [[nodiscard]] Cycle cycles_for(Bytes bytes) const noexcept {
    return power_of_two_ ? (bytes + width_ - 1) >> width_bits_ : ceil_div(bytes, width_);
  }

  std::vector<Port> banks_;
  bool power_of_two_;  // number and width of the banks: no divisions needed
  Bytes width_;
  unsigned width_bits_;
  unsigned chunk_bits_, line_bits_;
};

}  // namespace tilewave
