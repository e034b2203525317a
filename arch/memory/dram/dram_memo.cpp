// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_memo.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tilewave {
namespace {

// Four sums side by side, so that none waits for the multiplication before.
std::uint64_t hash_of(const DramMemo::Key& key) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: Fibonacci hashing
  std::array<std::uint64_t, 4> sums{key.size(), 1, 2, 3};
  std::size_t i = 0;
  for (; i + 4 <= key.size(); i += 4) {
    for (std::size_t s = 0; s < 4; ++s) {
      sums[s] = (sums[s] ^ key[i + s]) * kOdd;
      sums[s] ^= sums[s] >> 32U;
    }
  }
  for (; i < key.size(); ++i) sums[0] = (sums[0] ^ key[i]) * kOdd;
  std::uint64_t hash = 0;
  for (const std::uint64_t sum : sums) hash = (hash ^ sum ^ sum >> 29U) * kOdd;
  return hash ^ hash >> 32U;
}

}  // namespace

std::size_t DramMemo::slot_of(const Key& key) const {
  std::size_t slot = hash_of(key) % slots_.size();
  while (slots_[slot] != 0 && entries_[slots_[slot] - 1]->key != key) {
    slot = (slot + 1) % slots_.size();
  }
  return slot;
}

const DramOutcome* DramMemo::find(const Key& key) const {
  const std::uint32_t entry = slots_[slot_of(key)];
  return entry == 0 ? nullptr : &entries_[entry - 1]->outcome;
}

void DramMemo::insert(const Key& key, DramOutcome outcome) {
  if (entries_.size() == kMost) {
    entries_.clear();
    std::ranges::fill(slots_, 0);
  }
  entries_.push_back(std::make_unique<Entry>(Entry{key, std::move(outcome)}));
  slots_[slot_of(key)] = static_cast<std::uint32_t>(entries_.size());
}

}  // namespace tilewave
