// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arch/memory/dram/dram_stretch.hpp"

namespace tilewave {

/// Stretches seen, by all that they depend on. Of a bounded number: full, it begins anew.
class DramMemo {
 public:
  using Key = std::span<const DramWord>;
  DramMemo() : slots_(2 * kMost, 0) {}

  using Outcome = std::shared_ptr<const DramOutcome>;
  /// Null if there is none.
  [[nodiscard]] Outcome find(Key key) const;
  /// Requires that there is none.
  void insert(Key key, DramOutcome outcome);
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  /// One to three kilobytes each.
  static constexpr std::size_t kMost = 16384;
  struct Entry {
    std::vector<DramWord> key;
    Outcome outcome;
  };
  [[nodiscard]] std::size_t slot_of(Key key) const;

  std::vector<std::uint32_t> slots_;  // 1 + the entry, 0: free
  std::vector<Entry> entries_;
};

}  // namespace tilewave
