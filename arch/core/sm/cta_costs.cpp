// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/cta_costs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/core/sm/warp_facts.hpp"

namespace tilewave {

using namespace warp;

namespace {

/// A multiply of a warp: m16n8 (PTX ISA, mma.sync).
constexpr Count kMmaM = 16, kMmaN = 8;

Count padded(Count value, Count unit) { return ceil_div(value, unit) * unit; }

}  // namespace

Cycle UnitCycles::longest() const { return std::max(longest_shared(), least); }
Cycle UnitCycles::longest_shared() const { return std::max({tensor, shared, issue, special}); }

UnitCycles& UnitCycles::operator+=(const UnitCycles& o) noexcept {
  tensor += o.tensor, shared += o.shared, issue += o.issue, special += o.special;
  least += o.least;
  return *this;
}

CtaCosts::CtaCosts(const SmParams& sm, const program::GpuKernel& kernel)
    : sm_(sm), cta_(kernel.cta), dtype_(kernel.kernel.dtype) {
  steps_.emplace_back();
  for (const program::Node& node : kernel.kernel.body) {
    if (const auto* loop = std::get_if<program::Loop>(&node)) {
      slab(*loop);
    } else if (const auto& i = std::get<program::Instruction>(node);
               i.unit == program::UnitKind::vector) {
      vector(i, epilogue_);
    }
  }
  if (cta_.unit != program::MmaUnit::none) epilogue_stores(kernel.kernel);
  reductions();
  fill_ = sm_.load_store.shared_latency_cycles + sm_.barrier_cycles;
  if (sm_.load_store.copy == CopyKind::registers && cta_.unit != program::MmaUnit::none) {
    // The first slab is stored to shared memory while nothing is multiplied.
    fill_ += sm_.load_store.shared_latency_cycles + tile_.copy_cycles;
  }
}

/// Steps of the reductions of a row. A shuffle takes about as long as a load from shared memory.
void CtaCosts::reductions() {
  const Cycle latency = sm_.load_store.shared_latency_cycles;
  const auto shuffles = static_cast<Cycle>(std::bit_width(sm_.warp_lanes) - 1);
  // Of a CTA: each warp's, one number a warp to shared memory, one warp's, and back to all.
  const Cycle of_warp = shuffles * latency;
  const Cycle of_cta = 2 * of_warp + 4 * latency + 2 * sm_.barrier_cycles;
  const Cycle all = cta_.warp_reductions * of_warp + cta_.cta_reductions * of_cta;
  if (passes_ > 1 && !cta_.stepwise) {
    tile_.sync_cycles += all / (passes_ - 1);
  } else {
    epilogue_.least += all;
  }
}

/// The step that an instruction belongs to.
CtaStep& CtaCosts::step(bool multiplies) {
  CtaStep& last = steps_.back();
  if (!cta_.stepwise || last.multiplies == multiplies) return last;
  if (last.cycles.longest() == 0) {
    last.multiplies = multiplies;
    return last;
  }
  steps_.push_back({.cycles = {}, .after = 0, .multiplies = multiplies});
  return steps_.back();
}

void CtaCosts::matrix(const program::Instruction& i) {
  program::Cta team = cta_;
  team.warps_m = ceil_div(cta_.warps_m, cta_.teams);
  TileOperands operands{.sharers = cta_.teams};
  if (cta_.stepwise) {
    operands.a_copied = false;
    operands.a_in_shared = std::ranges::any_of(
        i.slots, [](const auto& use) { return use.role == program::SlotUse::Role::stream; });
  }
  const TileCosts costs = tile_costs(sm_, team, dtype_, ceil_div(extent(i.m), cta_.teams),
                                     extent(i.n), extent(i.k), operands);
  CtaStep& s = step(true);
  s.cycles += costs.cycles;
  if (cta_.stepwise) s.after = costs.drain_cycles;
  tile_.macs += costs.macs;
  tile_.instructions += costs.instructions;
  tile_.shared_bytes += costs.shared_bytes;
  tile_.sync_cycles = costs.sync_cycles;
  tile_.drain_cycles = costs.drain_cycles;
}

void CtaCosts::slab(const program::Loop& loop) {
  passes_ *= loop.count;
  for (const program::Node& node : loop.body) {
    if (const auto* nested = std::get_if<program::Loop>(&node)) {
      slab(*nested);
      continue;
    }
    const auto& i = std::get<program::Instruction>(node);
    if (i.unit == program::UnitKind::matrix) matrix(i);
    if (i.unit == program::UnitKind::vector) {
      CtaStep& s = step(false);
      UnitCycles cycles;
      vector(i, cycles);
      // Lanes that multiply have this to do, too.
      if (cta_.unit == program::MmaUnit::lanes) cycles.tensor = cycles.issue;
      s.cycles += cycles;
      // The largest score of a row, over the four lanes that hold it (two shuffles), and a barrier of
      // the team.
      if (cta_.stepwise) {
        s.after = 2 * sm_.load_store.shared_latency_cycles + sm_.barrier_cycles;
      }
    }
  }
}

TileCosts tile_costs(const SmParams& sm, const program::Cta& cta, DataType type, Count bm, Count bn,
                     Count bk, const TileOperands& operands) {
  using program::MmaUnit;
  const Bytes access_bytes = sm.warp_lanes * kLaneBytes;
  TileCosts costs;
  const unsigned bits = std::max(activation_bits(type), weight_bits(type));
  const Count warps = cta.warps_m * cta.warps_n;
  const Count wm = ceil_div(bm, cta.warps_m), wn = ceil_div(bn, cta.warps_n);
  const bool lanes = cta.unit == MmaUnit::lanes;
  const bool groups = cta.unit == MmaUnit::wgmma || cta.unit == MmaUnit::tcgen05;
  const Count rate =
      (lanes ? sm.lane_fma_per_cycle(type) : sm.tensor_fma_per_cycle(type)).value_or(1) *
      (cta.sparse ? 2 : 1);
  // Whole instructions; sub-cores without a warp idle.
  const Count km = lanes ? 1 : kMmaKBits / bits;
  const Count m_unit = lanes ? 1 : (groups ? kGroupRows : kMmaM), n_unit = lanes ? 1 : kMmaN;
  const Count pm = padded(wm, m_unit), pn = padded(wn, n_unit), pk = padded(bk, km);
  costs.macs = pm * pn * pk * warps;
  // A warp group has a warp on each sub-core; a warp has one. Alone, a CTA of fewer warps leaves
  // sub-cores idle; beside others it takes its share of them.
  const Count sub_cores_each = groups ? sm.sub_cores : 1;
  const Count rounds = ceil_div(warps * sub_cores_each, sm.sub_cores);
  const double per_round = static_cast<double>(pm * pn * pk) * static_cast<double>(sm.sub_cores) /
                           static_cast<double>(rate * sub_cores_each);
  const double share = lanes       ? sm.lanes.sustained_share
                       : sm.tensor ? sm.tensor->sustained_share
                                   : 1.0;
  const auto cycles = [&](double macs_over_rate) {
    return static_cast<Cycle>(std::ceil(macs_over_rate / share));
  };
  costs.cycles.tensor = cycles(static_cast<double>(costs.macs) / static_cast<double>(rate));
  const Cycle alone = cycles(per_round * static_cast<double>(rounds));

  const Bytes copied =
      bytes_for((operands.a_copied ? bm : 0) * bk + bn * bk / operands.sharers, bits);
  const bool once = cta.unit == MmaUnit::tcgen05;
  const Count of_a = operands.a_in_shared ? (once ? bm : warps * wm) : 0;
  const Bytes fragments = bytes_for((of_a + (once ? bn : warps * wn)) * bk, bits);
  costs.shared_bytes = copied + fragments;
  costs.copy_cycles = ceil_div(copied, sm.load_store.shared_bytes_per_cycle);
  costs.cycles.shared = ceil_div(costs.shared_bytes, sm.load_store.shared_bytes_per_cycle);

  // What came to registers must be in shared memory before the barrier.
  const Cycle slab_sync =
      sm.barrier_cycles +
      (sm.load_store.copy == CopyKind::registers ? sm.load_store.shared_latency_cycles : 0);
  const Count steps = pk / km;
  Count multiplies = 0, loads = 0;
  switch (cta.unit) {
    case MmaUnit::mma:
      multiplies = warps * (pm / kMmaM) * (pn / kMmaN) * steps;
      loads = ceil_div(fragments, access_bytes);
      costs.cycles.least = steps * sm.tensor->latency_cycles;
      costs.sync_cycles = slab_sync;
      costs.drain_cycles = sm.tensor->latency_cycles;
      break;
    case MmaUnit::lanes:
      // Packed pairs, or four of dp4a, an instruction of a lane.
      multiplies = costs.macs / sm.warp_lanes / (bits == 16 ? 2 : (bits == 8 ? 4 : 1));
      loads = ceil_div(fragments, access_bytes);
      costs.sync_cycles = slab_sync;
      break;
    case MmaUnit::wgmma:
    case MmaUnit::tcgen05:
      multiplies = warps * steps;
      costs.drain_cycles = sm.tensor->latency_cycles;
      break;
    case MmaUnit::none:
      break;
  }
  costs.cycles.least = std::max(costs.cycles.least, alone);
  // The copy engine takes an instruction for each operand, else each lane moves 16 bytes.
  const Count each = sm.load_store.copy == CopyKind::registers ? 2 : 1;
  const Count copies =
      groups && sm.load_store.copy == CopyKind::tma ? 2 : each * ceil_div(copied, access_bytes);
  costs.instructions =
      multiplies + loads + copies + ceil_div(cta.threads, sm.warp_lanes) * kLoopInstructions;
  costs.cycles.issue = ceil_div(costs.instructions, sm.sub_cores);
  if (cta.convert_operations > 0) {
    costs.cycles.issue += ceil_div(bn * bk * cta.convert_operations,
                                   std::max<Count>(1, sm.lanes.fp16) * sm.sub_cores);
  }
  return costs;
}

UnitCycles store_costs(const SmParams& sm, const program::Cta& cta, Count sums, Bytes bytes) {
  const Bytes access_bytes = sm.warp_lanes * kLaneBytes;
  UnitCycles cycles;
  // Written to shared memory, read from there, stored.
  cycles.shared = 3 * ceil_div(bytes, sm.load_store.shared_bytes_per_cycle);
  cycles.issue = ceil_div(3 * ceil_div(bytes, access_bytes), sm.sub_cores);
  // Step by step: a few sums of each thread to shared memory, a barrier, rows from there, a barrier.
  const Count steps = ceil_div(sums, cta.threads * kSumsOfStep);
  // Within a CTA one after the other.
  cycles.least = steps * 2 * (sm.barrier_cycles + sm.load_store.shared_latency_cycles) +
                 cycles.issue + 2 * ceil_div(bytes, sm.load_store.shared_bytes_per_cycle);
  return cycles;
}

void CtaCosts::vector(const program::Instruction& v, UnitCycles& cycles) const {
  const bool special = v.queue == program::kSpecialQueue;
  const Count lanes =
      special ? sm_.lanes.special
              : (v.queue == program::kIntegerQueue ? sm_.lanes.integer : sm_.lanes.fp32);
  const Count elements = ceil_div(extent(v.elements), cta_.teams);
  Cycle busy =
      ceil_div(elements * v.operations_per_element, std::max<Count>(1, lanes) * sm_.sub_cores);
  // The power limit under products holds the clock of all of the SM down.
  if (cta_.stepwise && cta_.unit != program::MmaUnit::lanes && sm_.tensor) {
    busy = static_cast<Cycle>(std::ceil(static_cast<double>(busy) / sm_.tensor->sustained_share));
  }
  // A warp's own maximum, exponentials and sum follow one another, and so do those of warps in step with
  // it. Warps side by side keep both units busy: those of a vector kernel, and groups that only do the
  // softmax, while one thread multiplies (tcgen05).
  const bool beside = !cta_.stepwise || cta_.unit == program::MmaUnit::tcgen05;
  (special && beside ? cycles.special : cycles.issue) += busy;
  if (cta_.stepwise && beside) cycles.least += busy;
  const Bytes bytes = elements * (v.read_bytes_per_element + v.write_bytes_per_element);
  cycles.shared += ceil_div(bytes, sm_.load_store.shared_bytes_per_cycle);
}

void CtaCosts::epilogue_stores(const program::Kernel& kernel) {
  Count sums = 0;
  Bytes bytes = 0;
  for (const program::Node& node : kernel.body) {
    const auto* i = std::get_if<program::Instruction>(&node);
    if (i == nullptr) continue;
    if (i->unit == program::UnitKind::vector) sums += extent(i->elements);
    if (i->unit != program::UnitKind::store) continue;
    bytes += stored_bytes(*i);
  }
  epilogue_.least += epilogue_.issue;  // each step converts its sums first
  epilogue_ += store_costs(sm_, cta_, sums, bytes);
}

}  // namespace tilewave
