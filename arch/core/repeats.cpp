// SPDX-License-Identifier: Apache-2.0
#include "arch/core/repeats.hpp"

#include <utility>

#include "arch/program/same_kernel.hpp"

namespace tilewave {

Repeats::Repeats(const program::Program& program) : classes_(program::kernel_classes(program)) {}

std::size_t Repeats::Hash::operator()(const Words& words) const noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: Fibonacci hashing
  std::uint64_t hash = words.size();
  for (const std::int64_t word : words) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * kOdd;
    hash ^= hash >> 32U;
  }
  return hash;
}

void Repeats::forget() {
  moments_.clear();
  count_ = 0;
}

std::size_t Repeats::times(std::size_t first, std::size_t now, std::size_t seen) const {
  const std::size_t period = now - first, beyond = seen - now + 1;
  std::size_t same = first;
  while (same + period < classes_.size() && classes_[same] == classes_[same + period]) ++same;
  // One past the last kernel that is as before; those that are looked at beyond the end must be, too.
  const std::size_t end = same + period;
  return end < now + beyond ? 0 : (end - beyond - now) / period;
}

std::optional<Repeats::Found> Repeats::find(Words state, const Moment& now, std::size_t seen) {
  if (count_ >= kMost) forget();
  state.push_back(classes_[now.kernel]);
  auto& earlier = moments_[std::move(state)];
  for (std::size_t i = earlier.size(); i-- > 0;) {  // the shortest period first
    const std::size_t again = times(earlier[i].kernel, now.kernel, seen);
    if (again > 0) return Found{.first = earlier[i], .times = again};
  }
  earlier.push_back(now);
  ++count_;
  return std::nullopt;
}

}  // namespace tilewave
