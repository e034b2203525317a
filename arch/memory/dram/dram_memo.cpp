// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_memo.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tilewave {
namespace {

// Four words at a time, and two sums side by side, so that none waits for the multiplication before.
std::uint64_t hash_of(DramMemo::Key key) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: Fibonacci hashing
  constexpr std::size_t kStep = 4;
  const auto mixed = [](std::uint64_t sum, std::uint64_t word) {
    sum = (sum ^ word) * kOdd;
    return sum ^ sum >> 32U;
  };
  std::array<std::uint64_t, 2> sums{key.size(), 1};
  std::size_t i = 0;
  for (; i + 2 * kStep <= key.size(); i += 2 * kStep) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), &key[i], sizeof(words));
    sums[0] = mixed(sums[0], words[0]);
    sums[1] = mixed(sums[1], words[1]);
  }
  for (; i < key.size(); ++i) sums[0] = mixed(sums[0], key[i]);
  return mixed(sums[0], sums[1]);
}

}  // namespace

std::size_t DramMemo::slot_of(Key key) const {
  std::size_t slot = hash_of(key) % slots_.size();
  while (slots_[slot] != 0 && !std::ranges::equal(entries_[slots_[slot] - 1].key, key)) {
    slot = (slot + 1) % slots_.size();
  }
  return slot;
}

DramMemo::Outcome DramMemo::find(Key key) const {
  const std::uint32_t entry = slots_[slot_of(key)];
  return entry == 0 ? nullptr : entries_[entry - 1].outcome;
}

void DramMemo::insert(Key key, DramOutcome outcome) {
  if (entries_.size() == kMost) {
    entries_.clear();
    std::ranges::fill(slots_, 0);
  }
  const std::size_t slot = slot_of(key);
  entries_.push_back({.key = {key.begin(), key.end()},
                      .outcome = std::make_shared<const DramOutcome>(std::move(outcome))});
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
}

}  // namespace tilewave
