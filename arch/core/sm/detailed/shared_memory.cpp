// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/shared_memory.hpp"

#include <vector>

namespace tilewave {

namespace {
/// Of ldmatrix: a row of a matrix of 8 x 8 numbers.
constexpr Bytes kRowBytes = 16;
constexpr Count kMatrixRows = 8;
constexpr Bytes kLineBytes = 128;
constexpr Count kRowsOfLine = kLineBytes / kRowBytes;
}  // namespace

Count SharedBanks::wavefronts(std::span<const std::uint64_t> addresses, Bytes lane_bytes) const {
  std::vector<std::vector<std::uint64_t>> words(banks);
  std::size_t most = 0;
  for (const std::uint64_t address : addresses) {
    for (Bytes byte = 0; byte < lane_bytes; byte += kWordBytes) {
      const std::uint64_t word = (address + byte) / kWordBytes;
      auto& of_bank = words[word % banks];
      if (std::ranges::find(of_bank, word) == of_bank.end()) of_bank.push_back(word);
      most = std::max(most, of_bank.size());
    }
  }
  return most;
}

std::uint64_t swizzled_address(Count row, Bytes byte_in_row, Bytes row_bytes, bool swizzled) {
  if (!swizzled) return row * row_bytes + byte_in_row;
  const Bytes width = std::min(row_bytes, kLineBytes);
  const Count piece = (row * width + byte_in_row % width) / kRowBytes;
  const Count line = piece / kRowsOfLine, place = piece % kRowsOfLine;
  return line * kLineBytes + (place ^ (line % kRowsOfLine)) * kRowBytes + byte_in_row % kRowBytes;
}

Count matrix_load_wavefronts(const SharedBanks& banks, Bytes row_bytes, bool swizzled) {
  Count most = 1;
  for (Bytes column = 0; column < row_bytes; column += kRowBytes) {
    std::vector<std::uint64_t> addresses;
    for (Count row = 0; row < kMatrixRows; ++row) {
      addresses.push_back(swizzled_address(row, column, row_bytes, swizzled));
    }
    most = std::max(most, banks.wavefronts(addresses, kRowBytes));
  }
  return most;
}

}  // namespace tilewave
