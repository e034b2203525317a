// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/gpu/gemm_tile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "workloads/kernels/gpu/kernel_facts.hpp"

namespace tilewave {

using program::MmaUnit;

namespace {

/// Registers of a thread beside sums and fragments: addresses, counters.
constexpr Count kOtherRegisters = 40;
/// 128 bytes of k: the width at which shared memory is swizzled without conflicts.
constexpr Bytes kSlabBytes = 128;
constexpr Count kMostStages = 12;
constexpr Count kLaneSlab = 8;

struct Shape {
  Count bm, bn, warps_m, warps_n;
};
/// Of kernels whose names tell: tile, k of a slab (for 16 bits) and stages
/// (ampere_…_s16816gemm_…_128x64_ldg8_f2f_stages_32x6, sm80_xmma_gemm_…_tilesize64x32x64_stage6).
struct MmaKernel {
  Shape shape;
  Count bk, stages;
};
constexpr std::array<MmaKernel, 18> kMmaKernels{{{{256, 128, 4, 2}, 32, 3},
                                                 {{256, 128, 4, 2}, 64, 3},
                                                 {{128, 256, 2, 4}, 32, 3},
                                                 {{128, 256, 2, 4}, 64, 3},
                                                 {{128, 128, 2, 2}, 32, 5},
                                                 {{128, 128, 2, 2}, 64, 3},
                                                 {{256, 64, 4, 1}, 32, 4},
                                                 {{256, 64, 4, 1}, 64, 4},
                                                 {{64, 256, 1, 4}, 32, 4},
                                                 {{64, 256, 1, 4}, 64, 4},
                                                 {{128, 64, 2, 2}, 32, 6},
                                                 {{128, 64, 2, 2}, 64, 4},
                                                 {{64, 128, 2, 2}, 32, 6},
                                                 {{64, 128, 2, 2}, 64, 4},
                                                 {{64, 64, 2, 2}, 32, 6},
                                                 {{64, 64, 2, 2}, 64, 5},
                                                 {{64, 32, 2, 1}, 64, 6},
                                                 {{32, 64, 1, 2}, 64, 6}}};
/// Before asynchronous copies: two stages, the next slab in registers meanwhile.
constexpr Count kRegisterStages = 2;
/// Of warp groups: rows of 64 for each of one or two groups (or two of 128), any eighth column up to 256
/// (nvjet_…_128x96_64x8_…; wgmma's n is a multiple of 8). Either side of the product may be the rows.
struct GroupRows {
  Count rows, groups, most_columns;
};
constexpr std::array<GroupRows, 3> kGroupRows{{{64, 1, 256}, {128, 2, 256}, {256, 2, 128}}};
constexpr std::array<Count, 13> kGroupColumns{8,  16,  24,  32,  48,  64, 80,
                                              96, 128, 160, 192, 224, 256};
constexpr std::array<Shape, 7> kLaneShapes{{{128, 128, 4, 2},
                                            {128, 64, 4, 1},
                                            {64, 128, 2, 2},
                                            {64, 64, 2, 1},
                                            {32, 128, 1, 4},
                                            {64, 32, 2, 1},
                                            {32, 32, 1, 1}}};

unsigned operand_bits(DataType type) { return std::max(activation_bits(type), weight_bits(type)); }

Bytes stage_bytes(const GemmTile& t, DataType type) {
  return bytes_for(t.bm * t.bk, activation_bits(type)) + bytes_for(t.bn * t.bk, weight_bits(type));
}

}  // namespace

program::Cta cta_of(const GemmTile& t, const GemmProblem& p, const GpuTarget& target) {
  program::Cta cta;
  cta.unit = t.unit;
  cta.sparse = p.sparse;
  cta.warps_m = t.warps_m, cta.warps_n = t.warps_n;
  cta.specialised = t.specialised, cta.persistent = t.persistent;
  cta.overlapped_epilogue = t.overlapped_epilogue;
  cta.raster_rows = t.raster_rows;
  cta.cluster_x = t.cluster_n, cta.cluster_y = t.cluster_m;
  const bool groups = t.unit == MmaUnit::wgmma || t.unit == MmaUnit::tcgen05;
  const Count consumers = t.warps_m * t.warps_n * (groups ? 4 : 1);
  cta.threads = (consumers + (t.specialised ? 4 : 0)) * target.warp_lanes;
  const Count sums = t.unit == MmaUnit::tcgen05 ? 0 : t.bm * t.bn / (consumers * target.warp_lanes);
  // Fragments: two steps of k of a warp's rows and columns.
  const Count fragments =
      groups ? 0
             : 2 * (t.bm / t.warps_m + t.bn / t.warps_n) * kSlabBytes / 4 / 4 / target.warp_lanes;
  cta.registers_per_thread =
      std::min(target.max_registers_per_thread, sums + fragments + kOtherRegisters);
  cta.shared_bytes =
      t.stages * stage_bytes(t, p.dtype) + (target.has_copy_engine ? kBarrierBytes : 0);
  if (weight_bits(p.dtype) < activation_bits(p.dtype)) cta.convert_operations = 2;
  return cta;
}

std::string in_words(const GemmTile& t) {
  std::string text = fmt::format(
      "{} {}x{}x{}, {}x{} {}, {} stages", program::to_string(t.unit), t.bm, t.bn, t.bk, t.warps_m,
      t.warps_n, t.unit == MmaUnit::wgmma || t.unit == MmaUnit::tcgen05 ? "warp groups" : "warps",
      t.stages);
  if (t.splits > 1) text += fmt::format(", {} splits of k", t.splits);
  if (t.cluster_m * t.cluster_n > 1) {
    text += fmt::format(", clusters of {}x{}", t.cluster_m, t.cluster_n);
  }
  if (t.specialised) text += ", warp-specialised";
  if (t.persistent) text += ", persistent";
  return text;
}

namespace {

class Menu {
 public:
  Menu(const GemmProblem& problem, const GpuTarget& target) : p_(problem), target_(target) {}

  std::vector<GemmTile> list() {
    if (target_.mma_unit != MmaUnit::none &&
        target_.fma_per_cycle(p_.dtype, target_.mma_unit) > 0) {
      if (target_.mma_unit == MmaUnit::mma) {
        for (const MmaKernel& k : kMmaKernels) add_mma(k);
      } else {
        for (const GroupRows& r : kGroupRows) {
          for (const Count columns : kGroupColumns) {
            if (columns > r.most_columns) continue;
            add(target_.mma_unit, {r.rows, columns, r.groups, 1});
            if (r.rows != columns) add(target_.mma_unit, {columns, r.rows, 1, r.groups});
          }
        }
      }
    } else if (target_.fma_per_cycle(p_.dtype, MmaUnit::lanes) > 0) {
      for (const Shape& s : kLaneShapes) add(MmaUnit::lanes, s);
    }
    return std::move(tiles_);
  }

 private:
  [[nodiscard]] static GemmTile tile_of(MmaUnit unit, const Shape& s) {
    GemmTile t;
    t.unit = unit;
    t.bm = s.bm, t.bn = s.bn, t.warps_m = s.warps_m, t.warps_n = s.warps_n;
    return t;
  }

  void add_mma(const MmaKernel& k) {
    GemmTile t = tile_of(MmaUnit::mma, k.shape);
    // As many bytes of k for other types.
    t.bk = std::max<Count>(1, k.bk * 16 / operand_bits(p_.dtype));
    t.stages = target_.has_async_copy ? k.stages : kRegisterStages;
    fit(t);
  }

  void add(MmaUnit unit, const Shape& s) {
    GemmTile t = tile_of(unit, s);
    if (unit == MmaUnit::lanes) {
      t.bk = kLaneSlab;
      t.stages = kRegisterStages;
      return fit(t);
    }
    t.bk = kSlabBytes * 8 / operand_bits(p_.dtype);
    t.specialised = t.persistent = true;
    t.overlapped_epilogue = t.unit == MmaUnit::tcgen05;
    // Pairs that share the longer side's operand, where the grid has them; with tensor memory (an
    // instruction works on two SMs) pairs of pairs.
    if (target_.max_cluster > 1) {
      const bool both = t.unit == MmaUnit::tcgen05 && target_.max_cluster >= 4;
      if ((both || t.bn >= t.bm) && ceil_div(p_.m, t.bm) > 1) t.cluster_m = 2;
      if ((both || t.bn < t.bm) && ceil_div(p_.n, t.bn) > 1) t.cluster_n = 2;
    }
    // As many stages as fit beside one CTA.
    t.stages = std::min<Count>(
        kMostStages, (target_.max_shared_bytes - kBarrierBytes) / stage_bytes(t, p_.dtype));
    if (t.stages >= 2) fit(t);
  }

  void fit(const GemmTile& t) {
    const program::Cta cta = cta_of(t, p_, target_);
    if (cta.shared_bytes > target_.max_shared_bytes || cta.threads > target_.max_threads) return;
    if (target_.ctas_per_sm(cta) > 0) tiles_.push_back(t);
  }

  const GemmProblem& p_;
  const GpuTarget& target_;
  std::vector<GemmTile> tiles_;
};

}  // namespace

std::vector<GemmTile> tile_menu(const GemmProblem& problem, const GpuTarget& target) {
  return Menu(problem, target).list();
}

double estimate_cycles(const GemmTile& t, const GemmProblem& p, const GpuTarget& target) {
  const auto as_double = [](Count v) { return static_cast<double>(v); };
  const program::Cta cta = cta_of(t, p, target);
  const Count per_sm = std::max<Count>(1, target.ctas_per_sm(cta));
  const Count tiles = ceil_div(p.m, t.bm) * ceil_div(p.n, t.bn) * p.batch * t.splits;
  const Count slabs = ceil_div(ceil_div(p.k, t.bk), t.splits);
  const Bytes stage = stage_bytes(t, p.dtype);
  const double resident = as_double(std::min(per_sm, ceil_div(tiles, target.cores)));
  const double busy_sms = as_double(std::min<Count>(target.cores, tiles));
  const Bytes from_l2 = bytes_for(t.bm * t.bk, activation_bits(p.dtype)) / t.cluster_n +
                        bytes_for(t.bn * t.bk, weight_bits(p.dtype)) / t.cluster_m;
  const auto slab_cycles = target.slab_cycles(cta, p.dtype, t.bm, t.bn, t.bk);
  const double sm = as_double(slab_cycles.of_sm);
  const double l2 = as_double(from_l2) / (target.l2_bytes_per_cycle / busy_sms);
  const double port = as_double(stage) / target.sm_bytes_per_cycle;
  // What is in flight over a load's latency bounds what a CTA gets.
  const double latency = target.load_latency_cycles / as_double(std::max<Count>(1, t.stages - 1));
  const double slab =
      std::max({std::max({sm, l2, port}) * resident, latency, as_double(slab_cycles.of_cta)});
  const Count waves = ceil_div(tiles, per_sm * target.cores);
  const unsigned result_bits = t.splits > 1 ? kSumBits : activation_bits(p.dtype);
  const double epilogue =
      as_double(target.epilogue_cycles(cta, t.bm * t.bn, bytes_for(t.bm * t.bn, result_bits)));
  const double bytes = (p.distinct_a * as_double(bytes_for(p.m * p.k, activation_bits(p.dtype))) +
                        p.distinct_b * as_double(bytes_for(p.n * p.k, weight_bits(p.dtype))) +
                        as_double(bytes_for(p.m * p.n, activation_bits(p.dtype)))) *
                       as_double(p.batch);
  const double dram = bytes / target.dram_bytes_per_cycle;
  const double in_and_out = 2 * target.load_latency_cycles;
  double cycles =
      std::max(as_double(waves) * (as_double(slabs) * slab + epilogue), dram) + in_and_out;
  if (t.splits > 1) {
    cycles +=
        as_double(target.kernel_gap_cycles) + in_and_out +
        as_double(bytes_for(p.m * p.n * (t.splits + 1), kSumBits)) / target.l2_bytes_per_cycle;
  }
  return cycles;
}

}  // namespace tilewave
