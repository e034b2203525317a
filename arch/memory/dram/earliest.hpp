// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewave {

/// The smallest of a fixed number of keys that change one at a time: a tree of matches, each won by
/// the smaller key (of equal ones the first). A change replays the matches of its key: log2 of their
/// number.
template <typename Key>
class Earliest {
 public:
  /// Requires size > 0. `last` is the value to start with; no key may be after it.
  Earliest(std::size_t size, const Key& last)
      : leaves_(std::bit_ceil(size)), keys_(leaves_, last), winners_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = static_cast<std::uint32_t>(i);
    for (std::size_t node = leaves_; node-- > 1;) winners_[node] = winners_[2 * node];
  }

  [[nodiscard]] const Key& operator[](std::size_t index) const noexcept { return keys_[index]; }
  [[nodiscard]] std::size_t index() const noexcept { return winners_[1]; }
  [[nodiscard]] const Key& key() const noexcept { return keys_[winners_[1]]; }

  void set(std::size_t index, const Key& key) noexcept {
    keys_[index] = key;
    for (std::size_t node = (leaves_ + index) >> 1U; node > 0; node >>= 1U) {
      const std::uint32_t a = winners_[2 * node], b = winners_[2 * node + 1];
      // Without a branch: nothing could foretell it.
      winners_[node] = a ^ ((a ^ b) & (0U - static_cast<std::uint32_t>(keys_[b] < keys_[a])));
    }
  }

 private:
  std::size_t leaves_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> winners_;  // of the match at each node; node 1 is the root
};

}  // namespace tilewave
