// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "arch/memory/dram/dram_params.hpp"

namespace tilewave {

/// What a channel did. All counts are of bursts or commands.
struct DramCounts {
  Count reads = 0, writes = 0;  ///< bursts transferred
  Count forwarded_reads = 0;    ///< answered from the write queue
  Count merged_writes = 0;      ///< replaced a waiting write of the same burst
  /// What a burst found when its first command went: its row, no row, another row.
  Count row_hits = 0, row_closed = 0, row_conflicts = 0;
  std::array<Count, kDramCommands> commands{};
  DramCounts& operator+=(const DramCounts& other) noexcept;
  /// Of counters that only grow: what came since.
  DramCounts& operator-=(const DramCounts& earlier) noexcept;
  [[nodiscard]] Count row_accesses() const noexcept {
    return row_hits + row_closed + row_conflicts;
  }
};

}  // namespace tilewave
