// SPDX-License-Identifier: Apache-2.0
// What must hold of a cache's counts and state at any time.
#include <bit>
#include <numeric>

#include "arch/memory/cache/cache.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

Count sectors_in(SectorMask mask) { return static_cast<Count>(std::popcount(mask)); }

}  // namespace

Bytes Cache::dirty_bytes() const {
  Count sectors = 0;
  for (Entry e = 0; e < tags_.entries(); ++e) sectors += sectors_in(tags_.state(e).dirty);
  return sectors << sector_bits_;
}

void Cache::check_laws() const {
  const auto require = [this](bool holds, const char* law) {
    if (!holds) throw SimulationError(name_ + ": law violated: " + law);
  };
  const auto& s = stats_;
  require(std::accumulate(s.outcomes.begin(), s.outcomes.end(), Count{0}) == s.lookups,
          "hits + sector misses + misses + merges = look-ups");
  require(s.sector_hits <= s.sectors && s.lookups <= s.sectors,
          "sectors there <= sectors looked up >= look-ups");
  require(s.requests == s.responses + responses_.used(), "each request is answered once");
  require(s.read_bytes + s.write_bytes == s.answered_bytes + responses_.bytes_under_way(),
          "bytes asked for = bytes answered + bytes under way");

  Bytes coming = 0;
  for (CacheMshrs::Index i = 0; i < mshrs_.size(); ++i) {
    coming += sectors_in(mshrs_.pending(i)) << sector_bits_;
    const Entry entry = mshrs_.entry(i);
    require(mshrs_.line(i) == CacheTags::kNoLine || entry == CacheTags::kNone ||
                (tags_.line(entry) == mshrs_.line(i) && tags_.state(entry).mshr == i),
            "a line that waits for a fill stays");
  }
  require(s.fill_bytes == s.fill_bytes_received + coming,
          "bytes fetched = bytes received + bytes on their way");
  require(s.write_acks <= s.write_backs + s.writes_below,
          "writes acknowledged <= writes sent below");
  require(s.dirtied_bytes == s.write_back_bytes + dirty_bytes() + s.discarded_bytes,
          "bytes that became dirty = written back + still dirty + discarded");

  for (Entry e = 0; e < tags_.entries(); ++e) {
    const auto& state = tags_.state(e);
    const SectorMask pending =
        state.mshr == CacheTags::kNoMshr ? SectorMask{0} : mshrs_.pending(state.mshr);
    require((state.valid & pending) == 0, "a sector that is there is not on its way");
    require((state.dirty & ~(state.valid | pending)) == 0, "a dirty sector is there");
    const std::uint64_t line = tags_.line(e);
    if (line == CacheTags::kNoLine) continue;
    const std::size_t set = index_.set_of(index_.local(line));
    require(tags_.find(set, line) == e, "a line is in its set, once");
  }
  require(!idle() || (s.fills == s.fills_received && mshrs_.used() == 0 && responses_.used() == 0),
          "an idle cache has nothing under way");
}

}  // namespace tilewave
