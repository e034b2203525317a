// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/hierarchy/shared_cache_counts.hpp"

namespace tilewave {

namespace {

/// All that are plain sums.
template <typename Apply>
void for_each(SharedCacheCounts& counts, const SharedCacheCounts& other, Apply&& apply) noexcept {
  using C = SharedCacheCounts;
  for (const auto member :
       {&C::read_bytes, &C::write_bytes, &C::asked_bytes, &C::lookups, &C::fill_bytes,
        &C::write_back_bytes, &C::write_through_bytes, &C::memory_read_bytes,
        &C::memory_write_bytes, &C::interconnect_bytes, &C::byte_hops}) {
    apply(counts.*member, other.*member);
  }
  for (std::size_t i = 0; i < kCacheOutcomes; ++i) apply(counts.outcomes[i], other.outcomes[i]);
  for (std::size_t i = 0; i < kCacheStalls; ++i) {
    apply(counts.stall_cycles[i], other.stall_cycles[i]);
  }
}

}  // namespace

SharedCacheCounts& SharedCacheCounts::operator-=(const SharedCacheCounts& earlier) noexcept {
  for_each(*this, earlier, [](Count& a, Count b) { a -= b; });
  return *this;
}

SharedCacheCounts& SharedCacheCounts::operator+=(const SharedCacheCounts& other) noexcept {
  for_each(*this, other, [](Count& a, Count b) { a += b; });
  moved_bytes += other.moved_bytes;
  busiest_link_cycles += other.busiest_link_cycles;
  return *this;
}

}  // namespace tilewave
