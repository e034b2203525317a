// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_counts.hpp"

namespace tilewave {

namespace {

template <typename Apply>
void for_each(DramCounts& counts, const DramCounts& other, Apply&& apply) noexcept {
  apply(counts.reads, other.reads);
  apply(counts.writes, other.writes);
  apply(counts.forwarded_reads, other.forwarded_reads);
  apply(counts.merged_writes, other.merged_writes);
  apply(counts.row_hits, other.row_hits);
  apply(counts.row_closed, other.row_closed);
  apply(counts.row_conflicts, other.row_conflicts);
  for (std::size_t c = 0; c < kDramCommands; ++c) apply(counts.commands[c], other.commands[c]);
}

}  // namespace

DramCounts& DramCounts::operator+=(const DramCounts& other) noexcept {
  for_each(*this, other, [](Count& a, Count b) { a += b; });
  return *this;
}

DramCounts& DramCounts::operator-=(const DramCounts& earlier) noexcept {
  for_each(*this, earlier, [](Count& a, Count b) { a -= b; });
  return *this;
}

}  // namespace tilewave
