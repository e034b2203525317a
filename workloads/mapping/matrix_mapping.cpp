// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/matrix_mapping.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "workloads/mapping/core_share.hpp"
#include "workloads/mapping/tile_choices.hpp"

namespace tilewave {

namespace {

/// What one of several cores takes of a problem, and of the memory's bandwidth.
class Search {
 public:
  Search(const CoreShare& share, const MatrixContext& context, Bytes operand_bytes)
      : p_(share.problem),
        c_(context),
        t_(context.target),
        grid_(share.grid),
        cores_(share.cores()),
        operand_bytes_(operand_bytes) {}

  std::optional<MatrixMapping> run(Fault& why) {
    if (t_.cube) {
      // Rows of tiles as long as a line of the L2, if they fit.
      for (const Bytes row : {t_.l2_line_bytes, Bytes{1}}) {
        if (best_) break;
        for (const TileChoice& tiles : cube_tiles(p_, t_, row)) try_tiles(tiles);
      }
    } else {
      for (const TileChoice& tiles : array_tiles(p_, t_)) try_tiles(tiles);
    }
    if (!best_) why = explain();
    return best_;
  }

 private:
  void try_tiles(const TileChoice& tiles) {
    tiles_ = tiles;
    const Count tm = tiles.m, tn = tiles.n, tk = tiles.k;
    const Count of_units = tiles.split_m ? ceil_div(p_.m, tm) : ceil_div(p_.n, tn);
    units_ = std::clamp<Count>(of_units, 1, t_.units);
    const Count units_m = tiles.split_m ? units_ : 1;
    const Count units_n = units_ / units_m;
    const Count mt = ceil_div(p_.m, tm * units_m);
    const NestLoop g{LoopId::group, p_.groups}, n{LoopId::n, ceil_div(p_.n, tn * units_n)},
        k{LoopId::k, ceil_div(p_.k, tk)};
    compute_cycles_ = array_cycles(tm, tn, tk);
    std::vector<AFetch> fetches{AFetch::matrix};
    if (p_.convolution) fetches = {AFetch::window, AFetch::im2col};
    for (const AFetch fetch : fetches) {
      if (c_.a_resident && fetch == AFetch::im2col) continue;
      a_once_ = c_.a_resident ? 0 : p_.a_bytes_once(fetch, tm);
      const auto orders = [&](const std::vector<NestLoop>& order) {
        try_levels(Nest(order), fetch);
      };
      // Blocks of m tiles only help where a tile is small (output stationary) or as windows.
      const bool blocks = t_.dataflow == Dataflow::output_stationary || t_.serial_windows;
      for (Count inner = 1; inner <= (blocks ? mt : 1); inner *= 2) {
        const Count in_block = blocks ? std::min(inner, mt) : mt;
        const NestLoop outer{LoopId::m_block, ceil_div(mt, in_block)}, m{LoopId::m, in_block};
        orders({g, outer, n, m, k});
        if (p_.groups > 1 && p_.convolution) orders({outer, g, n, m, k});
        if (!blocks) {
          orders({g, m, n, k});
          if (p_.groups > 1 && p_.convolution) orders({m, g, n, k});
        }
      }
    }
  }

  void try_levels(const Nest& nest, AFetch fetch) {
    MatrixMapping base{.nest = nest,
                       .split_m = tiles_.split_m,
                       .units = units_,
                       .fetch = fetch,
                       .tm = tiles_.m,
                       .tn = tiles_.n,
                       .tk = tiles_.k,
                       .accumulator_stages = tiles_.accumulator_stages};
    base.accumulator_stage_bytes = accumulator_stage_bytes();
    const Bytes tile = p_.c_tile_bytes(tiles_.m, tiles_.n);
    base.result_stages = c_.c_resident || !t_.has_vector_unit ? 0 : 2;
    // Two stages of the residual for each unit.
    const Count residual_stages = c_.residual_fetched ? 2 * units_ : 0;
    const Bytes fixed = (base.result_stages + residual_stages) * tile + p_.bias_bytes;
    if (by_windows()) {
      return try_windows(base, fixed);
    }
    const int deepest = nest.depth() - 1;
    for (int a_level = -1; a_level <= (c_.a_resident ? -1 : deepest); ++a_level) {
      if (a_level >= 0 && nest.loops()[static_cast<std::size_t>(a_level)].count == 1) continue;
      for (int b_level = t_.weights == SystolicTarget::Weights::fifo ? deepest : -1;
           b_level <= deepest; ++b_level) {
        if (b_level >= 0 && b_level < deepest &&
            nest.loops()[static_cast<std::size_t>(b_level)].count == 1) {
          continue;
        }
        try_one(base, a_level, b_level, fixed);
      }
    }
  }

  /// A in windows of a block of m tiles and all k; B whole, or in columns of n tiles and all k.
  void try_windows(MatrixMapping mapping, Bytes fixed) {
    const Nest& nest = mapping.nest;
    mapping.a.whole = !c_.a_resident;
    mapping.b.whole = true;
    const int group = nest.position(LoopId::group), block = nest.position(LoopId::m_block);
    // A window is of one group.
    if (group > block && p_.a_depends(mapping.fetch).has(LoopId::group)) return;
    try_one(mapping, block, group, fixed);
    try_one(mapping, block, nest.position(LoopId::n), fixed);
  }

  void try_one(MatrixMapping mapping, int a_level, int b_level, Bytes fixed) {
    const Nest& nest = mapping.nest;
    // Copies of an operand's slot: each unit has its own of the split dimension, unless it is whole.
    const Count a_copies = tiles_.split_m && !mapping.a.whole ? units_ : 1;
    const Count b_copies = tiles_.split_m || mapping.b.whole ? 1 : units_;
    mapping.b.level = b_level;
    mapping.b.held = nest.held(MatrixProblem::b_depends(), b_level);
    mapping.b.traffic_bytes = p_.b_bytes_once() * nest.fetches(MatrixProblem::b_depends(), b_level);
    mapping.b.stage_bytes = p_.b_tile_bytes(mapping.tn, mapping.tk);
    if (t_.weights == SystolicTarget::Weights::shared) mapping.b_abreast = b_copies;
    mapping.a.resident = c_.a_resident;
    const LoopSet a_depends = p_.a_depends(mapping.fetch);
    if (!c_.a_resident) {
      mapping.a.level = a_level;
      mapping.a.held = nest.held(a_depends, a_level);
      mapping.a.traffic_bytes = a_once_ * nest.fetches(a_depends, a_level);
      mapping.a.stage_bytes = p_.a_tile_bytes(mapping.fetch, mapping.tm, mapping.tk);
      if (mapping.a.whole) {
        const Count m = mapping.tm * (tiles_.split_m ? units_ : 1) * nest.count(LoopId::m);
        mapping.a.held = 1;
        mapping.a.stage_bytes = p_.a_tile_bytes(mapping.fetch, std::min(m, p_.m), p_.k);
      }
    }
    if (mapping.b.whole) {
      const bool column = b_level >= nest.position(LoopId::n);
      const Count n = column ? mapping.tn * (tiles_.split_m ? 1 : units_) : p_.n;
      mapping.b.held = 1;
      mapping.b_window =
          column ? n : mapping.tn * (tiles_.split_m ? 1 : units_) * nest.count(LoopId::n);
      mapping.k = grid_[3] > 1 ? mapping.tk * nest.count(LoopId::k) : p_.k;
      mapping.b.stage_bytes = p_.b_tile_bytes(std::min(n, p_.n), p_.k);
    }
    const Bytes a_least = c_.a_resident ? 0 : a_copies * mapping.a.stage_bytes * mapping.a.held;
    const Bytes b_least = b_copies * mapping.b.stage_bytes * mapping.b.held;
    switch (t_.weights) {
      case SystolicTarget::Weights::fifo:
        mapping.b.stages = t_.fifo_tiles / b_copies;
        mapping.b.stage_bytes = bytes_for(t_.rows * t_.cols, weight_bits(p_.type));
        if (mapping.b.stages == 0) return;
        break;
      case SystolicTarget::Weights::buffer: {
        Bytes own = t_.weight.unlimited ? ~Bytes{0} : t_.weight.capacity_bytes;
        if (!take(mapping.b, b_copies, own, 0)) return;
        break;
      }
      case SystolicTarget::Weights::shared:
        break;
    }
    const bool shared = t_.weights == SystolicTarget::Weights::shared;
    const Bytes least = fixed + a_least + (shared ? b_least : 0);
    Bytes room = t_.activation.unlimited ? ~Bytes{0} : c_.activation_budget_bytes;
    if (least > room) {
      least_needed_ = std::min(least_needed_, least);
      return;
    }
    room -= fixed;
    if (shared) take(mapping.b, b_copies, room, a_least);
    if (!c_.a_resident) take(mapping.a, a_copies, room, 0);
    if (t_.cube && !c_.a_resident) {
      // Both operands come in at once; each gets half of what is left.
      Bytes half = room / 2;
      room -= half;
      take_more(mapping.a, a_copies, half);
      room += half;
    }
    if (shared) take_more(mapping.b, b_copies, room);
    take_results(mapping, room);
    predict(mapping, a_depends);
    consider(mapping);
  }

  /// Gives an operand as many stages as are useful and fit, leaving `reserve`; false if not even
  /// the tiles that are held together fit.
  static bool take(OperandPlan& plan, Count copies, Bytes& room, Bytes reserve) {
    const Bytes tile = copies * plan.stage_bytes;
    const Bytes free = room > reserve ? room - reserve : 0;
    if (tile * plan.held > free) return false;
    const Count useful = plan.level < 0 || plan.whole ? plan.held : 2 * plan.held;
    plan.stages = std::min(useful, free / std::max<Bytes>(tile, 1));
    room -= tile * plan.stages;
    return true;
  }

  /// What is under way at most, of use: the memory's latency twice over, or all requests that the
  /// engine may have in flight.
  [[nodiscard]] double under_way_bytes() const {
    return std::max(2 * t_.dram_latency_cycles * t_.dram_bytes_per_cycle,
                    static_cast<double>(t_.outstanding * t_.request_bytes));
  }

  /// More stages of a stream, so that room does not limit what is under way.
  void take_more(OperandPlan& plan, Count copies, Bytes& room) const {
    if (plan.whole || plan.level < 0 || plan.stages < 2 * plan.held) return;
    const Bytes tile = std::max<Bytes>(copies * plan.stage_bytes, 1);
    const auto useful = static_cast<Count>(under_way_bytes() / static_cast<double>(tile));
    if (useful <= plan.stages) return;
    const Count more = std::min(useful - plan.stages, room / tile);
    plan.stages += more;
    room -= more * tile;
  }

  /// The same of results that leave for DRAM.
  void take_results(MatrixMapping& mapping, Bytes room) const {
    if (mapping.result_stages == 0 || c_.c_to_host) return;
    const Bytes tile = std::max<Bytes>(p_.c_tile_bytes(mapping.tm, mapping.tn), 1);
    const Count tiles = p_.groups * ceil_div(p_.m, mapping.tm) * ceil_div(p_.n, mapping.tn);
    const Count useful = std::min(
        tiles,
        std::max<Count>(2, static_cast<Count>(under_way_bytes() / static_cast<double>(tile))));
    if (useful <= mapping.result_stages) return;
    mapping.result_stages += std::min(useful - mapping.result_stages, room / tile);
  }

  /// Cycles of fetching an operand that the array's work cannot hide.
  [[nodiscard]] double exposed(const MatrixMapping& mapping, const OperandPlan& plan,
                               LoopSet depends, double bytes_per_cycle) const {
    if (plan.resident || plan.level < 0 || bytes_per_cycle <= 0) return 0;
    const auto rounds = static_cast<double>(mapping.nest.rounds(plan.level));
    const double fetch = static_cast<double>(plan.traffic_bytes) / bytes_per_cycle / rounds;
    const double spare = static_cast<double>(plan.stages - std::min(plan.stages, plan.held)) /
                         static_cast<double>(plan.held);
    const double last_use = mapping.nest.set_loop(depends, plan.level) < 0
                                ? 0.0
                                : 1.0 / static_cast<double>(mapping.nest.uses(depends, plan.level));
    const double hidden = compute_cycles_ / rounds * std::min(1.0, spare + last_use);
    return (rounds - 1) * std::max(0.0, fetch - hidden);
  }

  struct Link {
    double bytes_per_cycle;  ///< 0: without limit
    double latency_cycles;
    [[nodiscard]] double time(double bytes) const {
      return bytes_per_cycle > 0 ? bytes / bytes_per_cycle : 0.0;
    }
  };

  /// Time an engine takes for `bytes` in tiles of `tile` bytes, `stages` of them at once.
  [[nodiscard]] double transfers(const Link& link, Bytes bytes, Bytes tile, Count stages) const {
    if (bytes == 0 || tile == 0) return 0;
    const Count requests = ceil_div(tile, t_.request_bytes);
    const Count at_once =
        std::min({stages, t_.queue_depth, std::max<Count>(1, t_.outstanding / requests)});
    // A tile of more requests than may be in flight waits for the latency several times.
    const double waits = static_cast<double>(std::max<Count>(1, requests / t_.outstanding));
    const double one = link.time(static_cast<double>(tile));
    const double each = std::max(one, (waits * link.latency_cycles + one) /
                                          static_cast<double>(std::max<Count>(1, at_once)));
    return each * static_cast<double>(ceil_div(bytes, tile));
  }

  void predict(MatrixMapping& mapping, LoopSet a_depends) const {
    const auto of_core = [&](double bytes_per_cycle) {
      const double share = bytes_per_cycle / static_cast<double>(cores_);
      if (t_.dma_bytes_per_cycle <= 0) return share;
      return share > 0 ? std::min(share, t_.dma_bytes_per_cycle) : t_.dma_bytes_per_cycle;
    };
    const Link dram{
        of_core(t_.l2_bytes_per_cycle > 0 ? t_.l2_bytes_per_cycle : t_.dram_bytes_per_cycle),
        t_.dram_latency_cycles};
    const Link host{of_core(t_.host_bytes_per_cycle), t_.host_latency_cycles};
    const Link& a_link = c_.a_from_host ? host : dram;
    const Link& b_link = c_.b_from_host ? host : dram;
    const Link& c_link = c_.c_to_host ? host : dram;
    const Count outputs = p_.groups * p_.m * p_.n;
    const Count tile_outputs = std::min(mapping.tm, p_.m) * std::min(mapping.tn, p_.n);
    const unsigned result_bits = p_.result_bits();
    const Bytes result_bytes = c_.c_resident ? 0 : bytes_for(outputs, result_bits);

    // Result tiles follow one another through the vector unit as fast as its lanes allow, or as the
    // accumulator stages come back from its latency.
    double vector = 0;
    if (t_.has_vector_unit) {
      const Count operations =
          epilogue_operations(p_, t_) + (p_.sums_out() ? 0 : cast_operations());
      const auto tile_time = static_cast<double>(t_.vector_cycles(tile_outputs, operations) +
                                                 t_.vector_latency_cycles);
      const double tiles = static_cast<double>(ceil_div(outputs, tile_outputs));
      vector =
          std::max(static_cast<double>(t_.vector_cycles(outputs, operations)),
                   tiles * tile_time / static_cast<double>(mapping.accumulator_stages * units_));
    }
    const double casts = cast_cycles(mapping);
    if (!by_windows()) vector += casts;
    double work = compute_cycles_;
    if (mapping.accumulator_stages == 1 || !t_.vector_overlaps) work += vector;
    work += exposed(mapping, mapping.a, a_depends, a_link.bytes_per_cycle);
    if (t_.weights != SystolicTarget::Weights::fifo) {
      work += exposed(mapping, mapping.b, MatrixProblem::b_depends(), b_link.bytes_per_cycle);
    }
    double on_dram = 0;
    if (!c_.b_from_host) on_dram += static_cast<double>(mapping.b.traffic_bytes);
    if (!c_.a_from_host) on_dram += static_cast<double>(mapping.a.traffic_bytes);
    if (!c_.c_to_host) on_dram += static_cast<double>(result_bytes);
    const double memory = std::max(
        {dram.time(on_dram), behind_l2_cycles(mapping, result_bytes),
         transfers(a_link, mapping.a.traffic_bytes, mapping.a.stage_bytes, mapping.a.stages),
         transfers(b_link, mapping.b.traffic_bytes,
                   mapping.b_abreast * p_.b_tile_bytes(mapping.tn, mapping.tk), mapping.b.stages),
         transfers(c_link, result_bytes, bytes_for(tile_outputs, result_bits), 2)});
    const Bytes b_first = mapping.b.whole
                              ? mapping.b.stage_bytes
                              : mapping.b_abreast * p_.b_tile_bytes(mapping.tn, mapping.tk);
    const double first =
        std::max(a_link.latency_cycles + a_link.time(static_cast<double>(mapping.a.stage_bytes)),
                 b_link.latency_cycles + b_link.time(static_cast<double>(b_first)));
    const double last = vector / static_cast<double>(std::max<Count>(1, outputs)) *
                        static_cast<double>(tile_outputs);
    // Overlap is never perfect: of mappings that memory or the vector unit bounds alike, the one with
    // less work for the arrays is better.
    constexpr double kNotHidden = 0.01;
    const double longest = std::max({work, memory, vector});
    mapping.predicted_cycles = static_cast<double>(t_.fill_drain_cycles) + first + last + longest +
                               (longest > work ? kNotHidden * work : 0.0);
    // Cores that share an L2 meet in its slices: the less they fetch, the less they wait there.
    constexpr double kWaitsInL2 = 0.1;
    if (t_.l2_bytes_per_cycle > 0) mapping.predicted_cycles += kWaitsInL2 * memory;
    if (!by_windows()) return;
    const auto windows = [&](const Link& link, const OperandPlan& plan) {
      if (plan.resident) return 0.0;
      return link.time(static_cast<double>(plan.traffic_bytes)) +
             static_cast<double>(mapping.nest.rounds(plan.level)) * link.latency_cycles;
    };
    mapping.predicted_cycles = static_cast<double>(t_.fill_drain_cycles) + last +
                               windows(a_link, mapping.a) + windows(b_link, mapping.b) + casts +
                               std::max(work, vector);
  }

  /// Of the DRAM behind an L2: operands that have room there come once; others once for all cores that
  /// work on the same rows of A, or columns of B, at the same time.
  [[nodiscard]] double behind_l2_cycles(const MatrixMapping& mapping, Bytes result_bytes) const {
    if (t_.l2_bytes_per_cycle <= 0 || t_.dram_bytes_per_cycle <= 0) return 0;
    Bytes bytes = operand_bytes_;
    if (operand_bytes_ > t_.l2_capacity_bytes) {
      bytes =
          cores_ * mapping.a.traffic_bytes / grid_[2] + cores_ * mapping.b.traffic_bytes / grid_[1];
    }
    return static_cast<double>(bytes + cores_ * result_bytes) / t_.dram_bytes_per_cycle;
  }

  /// Lane operations that convert a number; 0: the arrays take it as it is.
  [[nodiscard]] Count cast_operations() const {
    const auto casts = t_.cast_operations.find(p_.type);
    return casts == t_.cast_operations.end() ? 0 : casts->second;
  }
  [[nodiscard]] bool by_windows() const {
    return t_.serial_windows && t_.weights != SystolicTarget::Weights::fifo;
  }

  /// Of the vector unit, for bringing what is fetched into the form that the arrays take.
  [[nodiscard]] double cast_cycles(const MatrixMapping& mapping) const {
    if (cast_operations() == 0) return 0;
    const Bytes bytes = mapping.a.traffic_bytes + mapping.b.traffic_bytes;
    return static_cast<double>(
        t_.vector_cycles(bytes * 8 / activation_bits(p_.type), cast_operations()));
  }

  void consider(const MatrixMapping& mapping) {
    const auto rank = [](const MatrixMapping& m) {
      Count tiles = 1;
      for (const auto& loop : m.nest.loops()) tiles *= loop.count;
      return std::tuple(m.predicted_cycles, m.a.traffic_bytes + m.b.traffic_bytes, tiles,
                        m.a.stage_bytes * m.a.stages + m.b.stage_bytes * m.b.stages);
    };
    if (!best_ || rank(mapping) < rank(*best_)) best_ = mapping;
  }

  /// All folds in steady state, whole and edge tiles each at their own cost.
  [[nodiscard]] double array_cycles(Count tm, Count tn, Count tk) const {
    const auto parts = [](Count extent, Count tile) {
      return std::array<std::pair<Count, Count>, 2>{
          {{std::min(tile, extent), extent / tile}, {extent % tile, extent % tile > 0 ? 1 : 0}}};
    };
    double cycles = 0;
    for (const auto& [m, mc] : parts(p_.m, tm)) {
      for (const auto& [n, nc] : parts(p_.n, tn)) {
        for (const auto& [k, kc] : parts(p_.k, tk)) {
          const Count folds = mc * nc * kc;
          if (folds == 0 || m == 0 || n == 0 || k == 0) continue;
          cycles +=
              static_cast<double>(t_.fold_cycles(p_.type, m, n, k)) * static_cast<double>(folds);
        }
      }
    }
    // Tiles of the split dimension go to the units in turn; the last turn may not fill them all.
    const Count tiles = tiles_.split_m ? ceil_div(p_.m, tm) : ceil_div(p_.n, tn);
    const double share = static_cast<double>(ceil_div(tiles, units_)) / static_cast<double>(tiles);
    return cycles * static_cast<double>(p_.groups) * share;
  }

  [[nodiscard]] Bytes accumulator_stage_bytes() const {
    if (t_.cube) {
      const auto blocks = [](Count extent, Count block) { return ceil_div(extent, block) * block; };
      return bytes_for(
          blocks(std::min(tiles_.m, p_.m), t_.rows) * blocks(std::min(tiles_.n, p_.n), t_.cols),
          accumulator_bits(p_.type));
    }
    const Count rows = t_.dataflow == Dataflow::input_stationary    ? std::min(tiles_.n, p_.n)
                       : t_.dataflow == Dataflow::weight_stationary ? std::min(tiles_.m, p_.m)
                                                                    : t_.rows;
    return rows * accumulator_row_bytes(p_, t_);
  }

  /// The buffer that is too small.
  [[nodiscard]] Fault explain() const {
    const auto too_small = [](std::string buffer, Bytes needed, Bytes there) {
      return Fault{.file = {},
                   .path = "core.buffers." + buffer,
                   .message = fmt::format(
                       "too small for one tile: {} bytes are needed, {} are free", needed, there)};
    };
    const Count rows = t_.dataflow == Dataflow::output_stationary ? t_.rows : 1;
    if (accumulator_rows(p_, t_, 1) < rows) {
      return too_small("accumulator", t_.units * rows * accumulator_row_bytes(p_, t_),
                       t_.accumulator.capacity_bytes);
    }
    // Units that take tiles of m share those of B.
    const bool is = t_.dataflow == Dataflow::input_stationary;
    const bool os = t_.dataflow == Dataflow::output_stationary;
    const Bytes tiles = (os ? std::min(t_.units, ceil_div(p_.n, t_.cols)) : 1) *
                        p_.b_tile_bytes(is ? 1 : t_.cols, os ? 1 : t_.rows);
    if (t_.weights == SystolicTarget::Weights::buffer && !t_.weight.fits(tiles)) {
      return too_small("weight", tiles, t_.weight.capacity_bytes);
    }
    return too_small("activation", least_needed_, c_.activation_budget_bytes);
  }

  const MatrixProblem& p_;
  const MatrixContext& c_;
  const SystolicTarget& t_;
  CoreGrid grid_;
  Count cores_;
  Bytes operand_bytes_;  ///< of all cores, each once
  TileChoice tiles_{};
  Count units_ = 1;  // that have a tile
  double compute_cycles_ = 0;
  Bytes a_once_ = 0;
  Bytes least_needed_ = ~Bytes{0};
  std::optional<MatrixMapping> best_;
};

}  // namespace

Count epilogue_operations(const MatrixProblem& problem, const SystolicTarget& target) {
  return target.fused_epilogue ? 1 : 1 + problem.epilogue.size();
}

std::optional<MatrixMapping> map_share(const CoreShare& share, const MatrixContext& context,
                                       Bytes operand_bytes, Fault& why) {
  return Search(share, context, operand_bytes).run(why);
}

}  // namespace tilewave
