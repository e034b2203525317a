// SPDX-License-Identifier: Apache-2.0
#include "arch/program/run_cursor.hpp"

#include <algorithm>

namespace tilewave::program {

namespace {

/// Levels whose repetitions follow each other without a gap become part of the run.
void join_levels(RunBlock& block) {
  if (block.pieces != nullptr) return;
  for (std::size_t i = kRunLevels; i-- > 0;) {
    auto& level = block.levels[i];
    if (level.count == 1) continue;
    if (level.pitch_bytes != block.run_bytes) return;
    block.run_bytes *= level.count;
    level = {};
  }
}

}  // namespace

RunCursor::RunCursor(const Region& region, const LoopIndex& index)
    : region_(&region), index_(index), blocks_(region.blocks_at(index)) {
  open_block();
}

void RunCursor::open_block() {
  while (block_number_ < blocks_) {
    block_ = region_->block_at(index_, block_number_++);
    if (block_.empty()) continue;
    join_levels(block_);
    at_.fill(0);
    piece_ = 0;
    return open_run();
  }
  region_ = nullptr;
}

void RunCursor::open_run() {
  rest_ = block_.pieces == nullptr ? ByteRun{0, block_.run_bytes} : (*block_.pieces)[piece_];
  rest_.offset += block_.offset;
  for (std::size_t i = 0; i < kRunLevels; ++i) {
    rest_.offset += at_[i] * block_.levels[i].pitch_bytes;
  }
}

ByteRun RunCursor::next(Bytes most) {
  const ByteRun run{rest_.offset, std::min(most, rest_.bytes)};
  rest_.offset += run.bytes;
  rest_.bytes -= run.bytes;
  if (rest_.bytes == 0) advance();
  return run;
}

void RunCursor::advance() {
  if (block_.pieces != nullptr && ++piece_ < block_.pieces->size()) return open_run();
  piece_ = 0;
  for (std::size_t i = kRunLevels; i-- > 0;) {
    if (++at_[i] < block_.levels[i].count) return open_run();
    at_[i] = 0;
  }
  open_block();
}

}  // namespace tilewave::program
