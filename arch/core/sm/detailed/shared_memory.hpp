// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "sim/units.hpp"

namespace tilewave {

/// Banks of shared memory: words of 4 bytes, one of each bank a cycle.
struct SharedBanks {
  static constexpr Bytes kWordBytes = 4;
  Count banks = 32;

  /// Cycles that an access of a warp takes, `lane_bytes` from each address: the most different words of
  /// one bank. A word that several lanes want is read once.
  [[nodiscard]] Count wavefronts(std::span<const std::uint64_t> addresses, Bytes lane_bytes) const;
};

/// Where libraries put 16 bytes of a row of a tile: lines of all banks, whose places are exchanged (xor)
/// by the line's number, so that neither rows nor columns meet in a bank. Rows longer than a line are
/// several tiles side by side.
[[nodiscard]] std::uint64_t swizzled_address(Count row, Bytes byte_in_row, Bytes row_bytes,
                                             bool swizzled = true);

/// Cycles of an ldmatrix of 8 x 8 numbers of 16 bits (8 rows of 16 bytes) from such a tile, at its
/// worst place.
[[nodiscard]] Count matrix_load_wavefronts(const SharedBanks& banks, Bytes row_bytes,
                                           bool swizzled = true);

/// The port of shared memory: one access after another, in the order in which they come.
class SharedPort {
 public:
  struct Access {
    Cycle begin, end;
  };
  Access take(Cycle now, Cycle cycles) {
    const Cycle begin = std::max(now, free_);
    free_ = begin + cycles;
    return {begin, free_};
  }

 private:
  Cycle free_ = 0;
};

}  // namespace tilewave
