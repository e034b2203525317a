// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/cta_costs.hpp"

#include <algorithm>
#include <cmath>

namespace tilewave {

namespace {

/// Bytes that a warp moves with one instruction of 16 bytes a lane (ldmatrix.x4, cp.async, st.global).
constexpr Bytes kWarpAccessBytes = 512;
/// A multiply of a warp: m16n8 and 32 bytes of k (PTX ISA, mma.sync: k16 for 16 bits, k32 for 8).
constexpr Count kMmaM = 16, kMmaN = 8;
constexpr unsigned kMmaKBits = 256;
/// A warp group's: m64 (PTX ISA, wgmma).
constexpr Count kWgmmaM = 64;
/// Instructions of a slab's loop beside loads and multiplies: counter, branch, addresses, barrier.
constexpr Count kLoopInstructions = 16;
/// Sums of a thread that an epilogue takes at a time (CUTLASS's default epilogue: eight rows of a tile
/// a step).
constexpr Count kSumsOfStep = 8;

Count padded(Count value, Count unit) { return ceil_div(value, unit) * unit; }

Count extent(const program::Size& size) {
  Count product = 1;
  for (const Span& f : size.factors) product *= static_cast<Count>(f.length);
  return product;
}

}  // namespace

Cycle UnitCycles::longest() const { return std::max({tensor, shared, issue, least}); }

CtaCosts::CtaCosts(const SmParams& sm, const program::GpuKernel& kernel)
    : sm_(sm), cta_(kernel.cta), dtype_(kernel.kernel.dtype) {
  for (const program::Node& node : kernel.kernel.body) {
    if (const auto* loop = std::get_if<program::Loop>(&node)) {
      slab(*loop);
    } else if (const auto& i = std::get<program::Instruction>(node);
               i.unit == program::UnitKind::vector) {
      vector(i, epilogue_);
    }
  }
  if (cta_.unit != program::MmaUnit::none) epilogue_stores(kernel.kernel);
  fill_ = sm_.load_store.shared_latency_cycles + sm_.barrier_cycles;
}

void CtaCosts::slab(const program::Loop& loop) {
  for (const program::Node& node : loop.body) {
    if (const auto* nested = std::get_if<program::Loop>(&node)) {
      slab(*nested);
      continue;
    }
    const auto& i = std::get<program::Instruction>(node);
    if (i.unit == program::UnitKind::matrix) multiply(i);
    if (i.unit == program::UnitKind::vector) vector(i, slab_);
  }
}

void CtaCosts::multiply(const program::Instruction& matrix) {
  using program::MmaUnit;
  const Count bm = extent(matrix.m), bn = extent(matrix.n), bk = extent(matrix.k);
  const unsigned bits = std::max(activation_bits(dtype_), weight_bits(dtype_));
  const Count warps = cta_.warps_m * cta_.warps_n;
  const Count wm = ceil_div(bm, cta_.warps_m), wn = ceil_div(bn, cta_.warps_n);
  const bool lanes = cta_.unit == MmaUnit::lanes;
  const Count rate =
      (lanes ? sm_.lane_fma_per_cycle(dtype_) : sm_.tensor_fma_per_cycle(dtype_)).value_or(1) *
      (cta_.sparse ? 2 : 1);
  // Whole instructions; sub-cores without a warp idle.
  const Count km = lanes ? 1 : kMmaKBits / bits;
  Count m_unit = 1, n_unit = 1;
  if (!lanes) m_unit = cta_.unit == MmaUnit::mma ? kMmaM : kWgmmaM, n_unit = kMmaN;
  if (cta_.unit == MmaUnit::mma && sm_.tensor->kind != MmaKind::mma) m_unit = kMmaM;
  const Count pm = padded(wm, m_unit), pn = padded(wn, n_unit), pk = padded(bk, km);
  macs_done_ = pm * pn * pk * warps;
  // A warp group has a warp on each sub-core; a warp has one.
  const Count sub_cores_each =
      cta_.unit == MmaUnit::wgmma || cta_.unit == MmaUnit::tcgen05 ? sm_.sub_cores : 1;
  const Count rounds = ceil_div(warps * sub_cores_each, sm_.sub_cores);
  const double per_round = static_cast<double>(pm * pn * pk) * static_cast<double>(sm_.sub_cores) /
                           static_cast<double>(rate * sub_cores_each);
  const double share = lanes || !sm_.tensor ? 1.0 : sm_.tensor->sustained_share;
  slab_.tensor += static_cast<Cycle>(std::ceil(per_round * static_cast<double>(rounds) / share));

  const Bytes copied = bytes_for((bm + bn) * bk, bits);
  const Count readers = cta_.unit == MmaUnit::tcgen05 ? 1 : warps;
  const Count rm = cta_.unit == MmaUnit::tcgen05 ? bm : wm;
  const Count rn = cta_.unit == MmaUnit::tcgen05 ? bn : wn;
  const Bytes fragments = bytes_for(readers * (rm + rn) * bk, bits);
  shared_bytes_ = copied + fragments;
  slab_.shared += ceil_div(shared_bytes_, sm_.load_store.shared_bytes_per_cycle);

  const Count steps = pk / km;
  Count multiplies = 0, loads = 0;
  switch (cta_.unit) {
    case MmaUnit::mma:
      multiplies = warps * (pm / kMmaM) * (pn / kMmaN) * steps;
      loads = ceil_div(fragments, kWarpAccessBytes);
      slab_.least = steps * sm_.tensor->latency_cycles;
      sync_ = sm_.barrier_cycles;
      drain_ = sm_.tensor->latency_cycles;
      break;
    case MmaUnit::lanes:
      multiplies = macs_done_ / sm_.warp_lanes /
                   (bits == 16 ? 2 : (bits == 8 ? 4 : 1));  // packed pairs, dp4a
      loads = ceil_div(fragments, kWarpAccessBytes);
      sync_ = sm_.barrier_cycles;
      break;
    case MmaUnit::wgmma:
    case MmaUnit::tcgen05:
      multiplies = warps * steps;
      drain_ = sm_.tensor->latency_cycles;
      break;
    case MmaUnit::none:
      break;
  }
  const Count copies = sm_.load_store.copy == CopyKind::tma && cta_.unit != MmaUnit::mma && !lanes
                           ? 2
                           : ceil_div(copied, kWarpAccessBytes) *
                                 (sm_.load_store.copy == CopyKind::registers ? 2 : 1);
  const Count all_warps = ceil_div(cta_.threads, sm_.warp_lanes);
  instructions_ = multiplies + loads + copies + all_warps * kLoopInstructions;
  Cycle issue = ceil_div(instructions_, sm_.sub_cores);
  if (cta_.convert_operations > 0) {
    issue += ceil_div(bn * bk * cta_.convert_operations,
                      std::max<Count>(1, sm_.lanes.fp16) * sm_.sub_cores);
  }
  slab_.issue += issue;
}

void CtaCosts::vector(const program::Instruction& v, UnitCycles& cycles) const {
  const Count lanes = sm_.lanes.fp32 * sm_.sub_cores;
  const Count elements = extent(v.elements);
  cycles.issue += ceil_div(elements * v.operations_per_element, lanes);
  const Bytes bytes = elements * (v.read_bytes_per_element + v.write_bytes_per_element);
  cycles.shared += ceil_div(bytes, sm_.load_store.shared_bytes_per_cycle);
}

/// Sums go to shared memory as results and leave from there, 16 bytes a lane.
void CtaCosts::epilogue_stores(const program::Kernel& kernel) {
  Count elements = 0;
  for (const program::Node& node : kernel.body) {
    const auto* i = std::get_if<program::Instruction>(&node);
    if (i != nullptr && i->unit == program::UnitKind::vector) elements += extent(i->elements);
    if (i == nullptr || i->unit != program::UnitKind::store) continue;
    const auto& rows = std::get<program::StridedRows>(i->region.shape);
    Bytes bytes = static_cast<Bytes>(rows.row_bytes.length);
    for (const auto& dim : rows.dims) bytes *= static_cast<Bytes>(dim.span.length);
    epilogue_.shared += 3 * ceil_div(bytes, sm_.load_store.shared_bytes_per_cycle);
    epilogue_.issue += ceil_div(3 * ceil_div(bytes, kWarpAccessBytes), sm_.sub_cores);
  }
  // Step by step: a few sums of each thread to shared memory, a barrier, rows from there, a barrier.
  const Count steps = ceil_div(elements, cta_.threads * kSumsOfStep);
  epilogue_.least = steps * 2 * (sm_.barrier_cycles + sm_.load_store.shared_latency_cycles);
}

}  // namespace tilewave
