// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "arch/core/sm/detailed/expander.hpp"
#include "arch/core/sm/warp_facts.hpp"

namespace tilewave {

using namespace warp;
using program::Instruction;
using program::MmaUnit;
using program::UnitKind;

void Expander::group_product(List& list, const Instruction& i) const {
  const DataType type = plan_.kernel().kernel.dtype;
  const unsigned bits = std::max(activation_bits(type), weight_bits(type));
  const Count wm = ceil_div(extent(i.m), cta_.warps_m), wn = ceil_div(extent(i.n), cta_.warps_n);
  const Count step_k = kMmaKBits / bits, steps = ceil_div(extent(i.k), step_k);
  const Count blocks = ceil_div(wm, kGroupRows);
  const auto rate =
      static_cast<double>(sm_.tensor_fma_per_cycle(type).value_or(1)) * (cta_.sparse ? 2 : 1);
  const Count macs = kGroupRows * wn * step_k;
  WarpInstruction m;
  m.op = WarpOp::group_multiply;
  m.pipe = WarpPipe::tensor;
  m.multiplies = true;
  // A quarter on each sub-core, by one of the four warps.
  m.macs = static_cast<std::uint32_t>(macs / kGroupWarps);
  const double cycles =
      static_cast<double>(macs * sm_.sub_cores) / kGroupWarps / rate / sm_.tensor->sustained_share;
  m.interval = static_cast<std::uint32_t>(std::llround(cycles * kTicks));
  m.bytes = static_cast<std::uint32_t>(bytes_for((wm + wn) * step_k, bits) / blocks / kGroupWarps);
  m.wavefronts =
      static_cast<std::uint16_t>(ceil_div<Bytes>(m.bytes, sm_.load_store.shared_bytes_per_cycle));
  for (Count step = 0; step < steps; ++step) {
    for (Count block = 0; block < blocks; ++block) list.push_back(m);
  }
}

void Expander::slab_of_groups(WarpProgram& w) {
  w.slab.push_back(control(WarpOp::wait_slab));
  if (fetch_ahead_) {
    w.slab.push_back(control(WarpOp::wait_room, ahead()));
    w.slab.push_back(copy(ahead(), 0, 1));
  }
  const bool simple = work_.size() == 1;
  for (const Instruction* i : work_) {
    if (i->unit == UnitKind::vector) {
      w.slab.push_back(control(WarpOp::wait_group, 0));
      vector_work(w.slab, *i, false);
      continue;
    }
    convert(w.slab, *i);
    group_product(w.slab, *i);
    w.slab.push_back(control(WarpOp::commit));
  }
  loop_overhead(w.slab, kLoopInstructions - 4);
  if (simple) {
    // One group stays under way; the slab before it has been read.
    w.slab.push_back(control(WarpOp::wait_group, 1));
    w.slab.push_back(control(WarpOp::give_back, 1));
    w.tail.push_back(control(WarpOp::wait_group, 0));
    w.tail.push_back(control(WarpOp::give_back, 0));
  } else {
    w.slab.push_back(control(WarpOp::wait_group, 0));
    w.slab.push_back(control(WarpOp::give_back, 0));
  }
  WarpInstruction drain = lane(WarpPipe::integer, sm_.lanes.integer, 1);
  w.tail.push_back(drain);
}

void Expander::sums_of_cta(WarpProgram& w) {
  w.tail.push_back(control(WarpOp::wait_sums));
  sums_elsewhere_ = true;
}

WarpProgram Expander::multiplier() const {
  const DataType type = plan_.kernel().kernel.dtype;
  const unsigned bits = std::max(activation_bits(type), weight_bits(type));
  WarpProgram p;
  p.computes = false;
  p.head.push_back(control(WarpOp::wait_place));
  p.slab.push_back(control(WarpOp::wait_slab));
  for (const Instruction* i : work_) {
    if (i->unit != UnitKind::matrix) continue;
    const Count step_k = kMmaKBits / bits, steps = ceil_div(extent(i->k), step_k);
    const Count macs = extent(i->m) * extent(i->n) * step_k;
    WarpInstruction m;
    m.op = WarpOp::cta_multiply;
    m.pipe = WarpPipe::tensor;
    m.multiplies = true;
    m.macs = static_cast<std::uint32_t>(macs);
    const auto rate =
        static_cast<double>(sm_.tensor_fma_per_cycle(type).value_or(1)) * (cta_.sparse ? 2 : 1);
    m.interval = static_cast<std::uint32_t>(
        std::llround(static_cast<double>(macs) / rate / sm_.tensor->sustained_share * kTicks));
    m.bytes = static_cast<std::uint32_t>(bytes_for((extent(i->m) + extent(i->n)) * step_k, bits));
    m.wavefronts =
        static_cast<std::uint16_t>(ceil_div<Bytes>(m.bytes, sm_.load_store.shared_bytes_per_cycle));
    for (Count step = 0; step < steps; ++step) p.slab.push_back(m);
  }
  p.slab.push_back(control(WarpOp::commit));
  // What a slab's multiplies have read is free when they are done.
  p.slab.push_back(control(WarpOp::give_back));
  p.tail.push_back(control(WarpOp::give_sums));
  return p;
}

}  // namespace tilewave
