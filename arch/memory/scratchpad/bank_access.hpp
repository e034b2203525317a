// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/units.hpp"

namespace tilewave {

/// One vector access: an element of each lane, at evenly spaced addresses. A stride of 0 is a
/// broadcast of one element.
struct StridedAccess {
  std::uint64_t base_address = 0;
  Count lanes = 1;  ///< >= 1
  Bytes lane_stride_bytes = 0;
  Bytes element_bytes = 1;  ///< >= 1

  [[nodiscard]] std::uint64_t address(Count lane) const noexcept {
    return base_address + lane * lane_stride_bytes;
  }
  /// From the first byte to behind the last one.
  [[nodiscard]] Bytes extent_bytes() const noexcept {
    return (lanes - 1) * lane_stride_bytes + element_bytes;
  }
};

/// Vector accesses one after the other, each `step_bytes` behind the last: a tile read row by row,
/// or column by column.
struct StreamAccess {
  StridedAccess first{};
  Count vectors = 1;  ///< >= 1
  Bytes step_bytes = 0;

  [[nodiscard]] StridedAccess at(Count vector) const noexcept {
    StridedAccess access = first;
    access.base_address += vector * step_bytes;
    return access;
  }
};

/// What a vector access asks of the banks.
struct BankLoad {
  Count words = 0;    ///< different words, over all banks
  Count busiest = 0;  ///< different words of the bank asked for most
  friend bool operator==(const BankLoad&, const BankLoad&) = default;
};

/// Cycles that vector accesses take when nobody else uses the banks.
struct AccessCost {
  Count words = 0;         ///< different words of each vector: accesses of banks
  Cycle cycles = 0;        ///< one vector after the other
  Cycle ideal_cycles = 0;  ///< the same if the words were spread evenly over the banks
  [[nodiscard]] Cycle conflict_cycles() const noexcept { return cycles - ideal_cycles; }
  friend bool operator==(const AccessCost&, const AccessCost&) = default;
};

/// Cost of a stream.
struct StreamCost {
  AccessCost total{};
  Cycle slowest_cycles = 0;   ///< of a vector
  Cycle duration_cycles = 0;  ///< from the first grant to behind the last, a vector an interval
  friend bool operator==(const StreamCost&, const StreamCost&) = default;
};

}  // namespace tilewave
