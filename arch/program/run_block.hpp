// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace tilewave::program {

/// Bytes at consecutive addresses.
struct ByteRun {
  std::uint64_t offset = 0;
  Bytes bytes = 0;
  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

inline constexpr std::size_t kRunLevels = 3;

/// Equal runs of bytes, repeated at regular distances: what the shapes of a region are made of.
struct RunBlock {
  struct Level {
    Count count = 1;
    Bytes pitch_bytes = 0;
  };
  std::uint64_t offset = 0;
  std::array<Level, kRunLevels> levels{};  ///< outermost first
  Bytes run_bytes = 0;
  /// If set, each repetition holds these runs instead of one of run_bytes at its start.
  const std::vector<ByteRun>* pieces = nullptr;

  [[nodiscard]] bool empty() const noexcept {
    if (pieces == nullptr && run_bytes == 0) return true;
    for (const Level& level : levels) {
      if (level.count == 0) return true;
    }
    return false;
  }
};

}  // namespace tilewave::program
