// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arch/memory/dram/dram_stretch.hpp"

namespace tilewave {

/// Stretches seen, by all that they depend on. Of a bounded number: full, it begins anew.
class DramMemo {
 public:
  using Key = std::vector<std::uint32_t>;
  DramMemo() : slots_(2 * kMost, 0) {}

  /// Null if there is none; else valid until the next insert().
  [[nodiscard]] const DramOutcome* find(const Key& key) const;
  /// Requires that there is none.
  void insert(const Key& key, DramOutcome outcome);
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  /// A few kilobytes each.
  static constexpr std::size_t kMost = 4096;
  struct Entry {
    Key key;
    DramOutcome outcome;
  };
  [[nodiscard]] std::size_t slot_of(const Key& key) const;

  std::vector<std::uint32_t> slots_;  // 1 + the entry, 0: free
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace tilewave
