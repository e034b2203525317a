// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "workloads/kernels/gpu/attention_tile.hpp"

namespace tilewave {

namespace {

AttentionPlaces alone(const Attention& a, DataType dtype) {
  AddressSpace space(program::kGpuReservationBytes);
  const auto place = [&](Count elements) {
    const Bytes bytes = bytes_for(elements, activation_bits(dtype));
    return Placement{program::Space::dram, space.take(bytes), bytes, bytes};
  };
  AttentionPlaces places;
  places.q = place(a.batch * a.heads * a.q_len * a.head_dim);
  places.k = place(a.batch * a.kv_heads * a.kv_len * a.head_dim);
  places.v = a.v_in_k ? places.k : place(a.batch * a.kv_heads * a.kv_len * a.v_head_dim);
  places.out = place(a.batch * a.heads * a.q_len * a.v_head_dim);
  places.workspace = [next = space.next()](Bytes bytes) {
    return Placement{program::Space::dram, next, bytes, bytes};
  };
  return places;
}

}  // namespace

Count AttentionChooser::best_splits(const Attention& a, DataType dtype,
                                    const AttentionTile& tile) const {
  const Count blocks = a.batch * a.heads / tile.heads;
  const Count slots =
      target_.cores *
      std::max<Count>(1, target_.ctas_per_sm(attention_cta(a, dtype, tile, target_)));
  const program::ScoreMask mask = attention_mask(a, tile);
  const Count passes = mask.passes_of({}).count;
  if (!is_packed(a) || blocks >= slots || passes < 2) return 1;
  // One CTA an SM, all that fit at a time, or twice as many; each with a pass at least.
  std::set<Count> candidates{1};
  for (const Count ctas : {target_.cores, slots, 2 * slots}) {
    const Count splits = std::clamp<Count>(ctas / blocks, 1, passes);
    candidates.insert(ceil_div(passes, ceil_div(passes, splits)));
  }
  Count best = 1;
  Cycle least = kNever;
  for (const Count splits : candidates) {
    AttentionTile t = tile;
    t.splits = splits;
    const KernelId id{.name = "trial", .layer = 0, .dtype = dtype};
    const Cycle cycles = time_of_({build_attention_kernels(id, a, t, alone(a, dtype), target_)});
    if (cycles < least) least = cycles, best = splits;
  }
  return best;
}

std::optional<AttentionTile> AttentionChooser::choose(const Attention& a, DataType dtype) {
  for (const Known& k : known_) {
    if (k.attention == a && k.dtype == dtype) return k.tile;
  }
  auto tile = attention_tile(a, dtype, target_);
  if (!tile) return std::nullopt;
  tile->splits = best_splits(a, dtype, *tile);
  known_.push_back({a, dtype, *tile});
  return tile;
}

}  // namespace tilewave
