// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/program/region.hpp"

namespace tilewave::program {

/// Goes through the bytes of a region run by run, without listing them. Neighbouring runs of a
/// block are one run if nothing lies between them; those of different blocks are not joined.
class RunCursor {
 public:
  RunCursor() = default;
  /// The region must outlive the cursor.
  RunCursor(const Region& region, const LoopIndex& index);

  [[nodiscard]] bool done() const noexcept { return region_ == nullptr; }
  /// The next bytes at consecutive addresses (from the tensor's start), at most `most` > 0 of them.
  /// Requires !done().
  [[nodiscard]] ByteRun next(Bytes most);

 private:
  void open_block();  // the next one that is not empty, or the end
  void open_run();
  void advance();

  const Region* region_ = nullptr;
  LoopIndex index_{};
  Count block_number_ = 0, blocks_ = 0;
  RunBlock block_{};
  std::array<Count, kRunLevels> at_{};
  std::size_t piece_ = 0;
  ByteRun rest_{};  // of the current run
};

}  // namespace tilewave::program
