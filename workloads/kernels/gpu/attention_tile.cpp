// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/attention_tile.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "workloads/kernels/gpu/kernel_facts.hpp"

namespace tilewave {

using program::MmaUnit;

namespace {

/// At most so many queries a head are packed with those of other heads, into so many rows: up to 32 heads
/// (TensorRT-LLM's XQA); where more share K and V, each head has a CTA of its own, as where none do (its
/// masked multi-head attention).
constexpr Count kPackedQueries = 16, kPackedRows = 64, kPackedHeads = 32;
/// XQA: four warps with 64 keys each, and reductions over the CTA (maximum, sum, the warps' sums).
constexpr Count kPackedKeys = 256, kPackedReductions = 3;
/// A head alone: 256 threads, products on the lanes.
constexpr Count kAloneKeys = 64, kAloneWarps = 8;
constexpr Count kMostStages = 4;
constexpr Count kLeastKeys = 16;
/// What a decoding kernel's threads hold: sums of few rows, fragments, addresses.
constexpr Count kPackedRegisters = 128;

struct Shape {
  Count most_dim;  ///< of a head, that it is made for
  Count queries, keys, warps, teams;
};
/// FlashAttention-2, flash_fwd_launch_template.h (for 8.0).
constexpr std::array<Shape, 4> kMma{
    {{64, 128, 128, 4, 1}, {128, 128, 64, 4, 1}, {256, 128, 64, 8, 1}, {~Count{0}, 64, 32, 4, 1}}};
/// FlashAttention-3, hopper/tile_size.h (causal).
constexpr std::array<Shape, 5> kWgmma{{{64, 192, 128, 12, 3},
                                       {128, 128, 128, 8, 2},
                                       {192, 128, 112, 8, 2},
                                       {256, 128, 80, 8, 2},
                                       {~Count{0}, 64, 32, 4, 1}}};
/// Two tiles of 128 queries a CTA (FlashAttention-4's forward kernel, flash_fwd_sm100.py).
constexpr std::array<Shape, 3> kTcgen05{
    {{128, 256, 128, 8, 2}, {256, 256, 64, 8, 2}, {~Count{0}, 128, 64, 4, 1}}};

bool has_groups(MmaUnit unit) { return unit == MmaUnit::wgmma || unit == MmaUnit::tcgen05; }

Shape shape_for(MmaUnit unit, Count dim) {
  const auto of = [&](const auto& shapes) {
    return *std::ranges::find_if(shapes, [&](const Shape& s) { return dim <= s.most_dim; });
  };
  if (unit == MmaUnit::wgmma) return of(kWgmma);
  return unit == MmaUnit::tcgen05 ? of(kTcgen05) : of(kMma);
}

Bytes query_bytes(const Attention& a, DataType dtype, const AttentionTile& t) {
  return bytes_for(attention_rows(t) * a.head_dim, activation_bits(dtype));
}

Bytes pass_bytes(const Attention& a, DataType dtype, const AttentionTile& t) {
  const Count dims = a.head_dim + (a.v_in_k ? 0 : a.v_head_dim);
  return bytes_for(t.keys * dims, activation_bits(dtype));
}

}  // namespace

bool is_packed(const Attention& a) { return a.q_len <= kPackedQueries; }

Count attention_rows(const AttentionTile& t) {
  const Count unit = has_groups(t.unit) ? 64 : (t.unit == MmaUnit::mma ? 16 : 1);
  return ceil_div(t.rows(), unit) * unit;
}

program::Cta attention_cta(const Attention& a, DataType dtype, const AttentionTile& t,
                           const GpuTarget& target) {
  program::Cta cta;
  cta.unit = t.unit;
  cta.teams = t.teams;
  cta.stepwise = true;
  cta.in_step = !has_groups(t.unit);
  const bool packed = is_packed(a);
  if (packed) {
    cta.cta_reductions = kPackedReductions;
    // Where the pages of the cache are must be known before the first is loaded.
    cta.setup_cycles = static_cast<Cycle>(target.load_latency_cycles);
  }
  if (has_groups(t.unit)) {
    cta.warps_m = t.warps / kWarpsOfGroup;
    cta.specialised = true;
    cta.persistent = !packed;
  } else if (packed) {
    cta.warps_n = t.warps;
  } else {
    cta.warps_m = t.warps;
  }
  const Count fetching = has_groups(t.unit) ? kWarpsOfGroup : 0;
  cta.threads = (t.warps + fetching) * target.warp_lanes;
  // Sums and scores fill what a thread may have, or what a CTA alone on its SM has for each.
  constexpr Count kRegistersOfSm = 65536, kRegisterStep = 8;
  cta.registers_per_thread =
      packed ? kPackedRegisters
             : std::min(target.max_registers_per_thread,
                        kRegistersOfSm / cta.threads / kRegisterStep * kRegisterStep);
  // Without a warp that fetches, K of the next pass comes while this one's values are multiplied and V
  // while the scores are: a pass ahead in the place of one (FlashAttention-2).
  // XQA does the same with slices of both.
  const Count places = has_groups(t.unit) ? t.stages : 1;
  cta.shared_bytes = query_bytes(a, dtype, t) + places * pass_bytes(a, dtype, t) +
                     (target.has_copy_engine ? kBarrierBytes : 0);
  return cta;
}

program::ScoreMask attention_mask(const Attention& a, const AttentionTile& t) {
  program::ScoreMask mask;
  mask.queries = a.q_len;
  mask.keys = a.kv_len;
  mask.first_position = a.kv_len > a.q_len ? a.kv_len - a.q_len : 0;
  mask.window = a.window;
  mask.causal = a.causal;
  mask.tile_queries = t.queries;
  mask.heads = t.heads;
  mask.tile_keys = t.keys;
  // FlashAttention-2 takes the tiles in order, later ones the longest first.
  mask.reversed = a.causal && !is_packed(a) && has_groups(t.unit);
  if (t.splits > 1) {
    mask.splits = t.splits;
    const Count passes = ceil_div(mask.end_key(0), t.keys) - mask.first_key(0) / t.keys;
    mask.split_passes = ceil_div(passes, t.splits);
  }
  return mask;
}

std::optional<AttentionTile> attention_tile(const Attention& a, DataType dtype,
                                            const GpuTarget& target) {
  AttentionTile t;
  t.unit = target.mma_unit;
  if (t.unit == MmaUnit::none || target.fma_per_cycle(dtype, t.unit) == 0) t.unit = MmaUnit::lanes;
  if (target.fma_per_cycle(dtype, t.unit) == 0) return std::nullopt;
  const Shape shape = shape_for(t.unit, std::max(a.head_dim, a.v_head_dim));
  t.keys = shape.keys;
  t.queries = shape.queries;
  t.warps = shape.warps;
  t.teams = shape.teams;
  if (is_packed(a)) {
    const Count sharing = a.heads / a.kv_heads;
    t.queries = a.q_len;
    t.heads =
        sharing <= kPackedHeads ? std::min(sharing, std::max<Count>(1, kPackedRows / a.q_len)) : 1;
    t.keys = std::max(a.head_dim, a.v_head_dim) <= 128 ? kPackedKeys : kPackedKeys / 2;
    while (sharing % t.heads != 0) --t.heads;
    t.warps = kWarpsOfGroup;
    t.teams = 1;
    if (t.heads == 1) t.keys = kAloneKeys;
    if (t.heads == 1 && target.fma_per_cycle(dtype, MmaUnit::lanes) > 0) {
      t.unit = MmaUnit::lanes;
      t.warps = kAloneWarps;
    }
  }
  const auto fits = [&] {
    const program::Cta cta = attention_cta(a, dtype, t, target);
    return cta.shared_bytes <= target.max_shared_bytes && target.ctas_per_sm(cta) > 0;
  };
  while (!fits() && t.keys > kLeastKeys) t.keys /= 2;
  while (!fits() && t.queries > 1 && !is_packed(a)) t.queries /= 2;
  if (!fits()) return std::nullopt;
  if (has_groups(t.unit)) {
    while (t.stages < kMostStages) {
      ++t.stages;
      if (fits()) continue;
      --t.stages;
      break;
    }
  }
  return t;
}

std::string in_words(const AttentionTile& t) {
  std::string text =
      fmt::format("flash attention, {} {} queries", program::to_string(t.unit), t.queries);
  if (t.heads > 1) text += fmt::format(" of {} heads", t.heads);
  text += fmt::format(" x {} keys, {} warps", t.keys, t.warps);
  if (t.teams > 1) text += fmt::format(" in {} groups that take turns", t.teams);
  text += fmt::format(", {} stages", t.stages);
  if (t.splits > 1) text += fmt::format(", {} splits of the keys", t.splits);
  return text;
}

}  // namespace tilewave
