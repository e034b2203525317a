// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/expander.hpp"

#include <algorithm>

#include "arch/core/sm/warp_facts.hpp"

namespace tilewave {

using namespace warp;
using program::Instruction;
using program::MmaUnit;
using program::UnitKind;

void Expander::run() {
  const Count all_warps = ceil_div(cta_.threads, sm_.warp_lanes);
  groups_ = cta_.unit == MmaUnit::wgmma || cta_.unit == MmaUnit::tcgen05;
  const bool by_engine = groups_ && sm_.load_store.copy == CopyKind::tma;
  const bool multiplies = cta_.unit != MmaUnit::none;
  copies_through_registers_ =
      multiplies && !by_engine && sm_.load_store.copy == CopyKind::registers;
  out_.by_engine_ = by_engine;
  out_.lands_in_shared_ = multiplies && !copies_through_registers_;
  computing_ = all_warps;
  if (groups_) computing_ = cta_.warps_m * cta_.warps_n * kGroupWarps;
  if (!groups_ && multiplies && cta_.specialised) computing_ = cta_.warps_m * cta_.warps_n;
  computing_ = std::clamp<Count>(computing_, 1, all_warps);
  read(plan_.kernel().kernel.body);

  WarpProgram compute;
  fetch_ahead_ = !cta_.specialised && cta_.unit != MmaUnit::tcgen05;
  // Fragments come ahead across slabs, so the next slab must have a place beside this one.
  const bool product = work_.size() == 1 && work_[0]->unit == UnitKind::matrix &&
                       plan_.stages() > 1 && !(copies_through_registers_ && cta_.persistent);
  if (fetch_ahead_ && (product || !copies_through_registers_)) copy_head(compute.head);
  if (cta_.unit == MmaUnit::tcgen05) {
    sums_of_cta(compute);
  } else if (cta_.unit == MmaUnit::wgmma) {
    slab_of_groups(compute);
  } else if (product) {
    slab_of_product(compute);
  } else {
    slab_in_order(compute);
  }
  epilogue(compute);
  compute.registers = registers_;
  out_.roles_.push_back({std::move(compute), computing_});
  if (cta_.unit == MmaUnit::tcgen05) out_.roles_.push_back({multiplier(), 1});
  if (!fetch_ahead_) {
    const Count rest = all_warps > computing_ ? all_warps - computing_ : 1;
    out_.copier_role_ = out_.roles_.size();
    out_.copiers_ = by_engine ? 1 : rest;
    out_.roles_.push_back({fetcher(), out_.copiers_});
  } else {
    out_.copiers_ = by_engine ? 1 : computing_;
  }
}

void Expander::read(const std::vector<program::Node>& nodes, bool in_loop) {
  for (const program::Node& node : nodes) {
    if (const auto* loop = std::get_if<program::Loop>(&node)) {
      read(loop->body, true);
      continue;
    }
    const auto& i = std::get<Instruction>(node);
    if (in_loop && (i.unit == UnitKind::matrix || i.unit == UnitKind::vector)) work_.push_back(&i);
    if (!in_loop && i.unit == UnitKind::vector) tail_.push_back(&i);
    if (i.unit == UnitKind::store) stored_ += stored_bytes(i);
  }
}

std::int16_t Expander::new_registers(Count number) {
  const auto first = static_cast<std::int16_t>(registers_);
  registers_ += number;
  return first;
}

WarpInstruction Expander::lane(WarpPipe pipe, Count lanes, Count repeat) const {
  WarpInstruction i;
  i.pipe = pipe;
  i.repeat = static_cast<std::uint16_t>(repeat);
  i.interval = static_cast<std::uint32_t>(kTicks * sm_.warp_lanes / std::max<Count>(1, lanes));
  i.latency = static_cast<std::uint16_t>(sm_.lanes.latency_cycles);
  return i;
}

WarpInstruction Expander::control(WarpOp op, Count arg) {
  WarpInstruction i;
  i.op = op;
  i.arg = static_cast<std::uint16_t>(arg);
  return i;
}

WarpInstruction Expander::shared(WarpOp op, Bytes bytes, std::int16_t result) const {
  WarpInstruction i;
  i.op = op;
  i.pipe = WarpPipe::memory;
  i.bytes = static_cast<std::uint32_t>(bytes);
  i.wavefronts = static_cast<std::uint16_t>(ceil_div(bytes, sm_.load_store.shared_bytes_per_cycle));
  i.latency = static_cast<std::uint16_t>(sm_.load_store.shared_latency_cycles);
  i.result = result;
  return i;
}

void Expander::shared_bytes(List& list, WarpOp op, Bytes bytes, std::int16_t result) const {
  const Bytes most = sm_.warp_lanes * kLaneBytes;
  for (Bytes done = 0; done < bytes; done += most) {
    list.push_back(shared(op, std::min(most, bytes - done), result));
  }
}

WarpInstruction Expander::copy(Count ahead, Count part, Count parts) {
  WarpInstruction i = control(WarpOp::copy, ahead);
  i.pipe = WarpPipe::memory;
  i.part = static_cast<std::uint8_t>(part);
  i.parts = static_cast<std::uint8_t>(parts);
  return i;
}

void Expander::copy_head(List& head) const {
  const auto add = [&](WarpInstruction i) {
    i.first_block = true;
    head.push_back(i);
  };
  if (copies_through_registers_) {
    add(copy(0, 0, 1));
    add(control(WarpOp::wait_slab));
    add(keep(0));
    add(copy(1, 0, 1));
    return;
  }
  for (Count slab = 0; slab < ahead(); ++slab) add(copy(slab, 0, 1));
}

WarpInstruction Expander::keep(Count ahead) const {
  WarpInstruction i = shared(WarpOp::keep, sm_.warp_lanes * kLaneBytes, WarpInstruction::kNone);
  i.arg = static_cast<std::uint16_t>(ahead);
  return i;
}

WarpProgram Expander::fetcher() const {
  WarpProgram p;
  p.computes = false;
  p.slab = {control(WarpOp::wait_room), copy(0, 0, 1)};
  return p;
}

void Expander::loop_overhead(List& list, Count number) const {
  for (Count n = 0; n < number; ++n) {
    list.push_back(lane(WarpPipe::integer, sm_.lanes.integer, 1));
  }
}

void Expander::lane_work(List& list, WarpPipe pipe, Count lanes, Count operations,
                         Count of_lane) const {
  Count number = ceil_div(operations, computing_ * sm_.warp_lanes * of_lane);
  while (number > 0) {
    const Count now = std::min<Count>(number, 4096);
    WarpInstruction i = lane(pipe, std::max<Count>(1, lanes / of_lane), now);
    list.push_back(i);
    number -= now;
  }
}

void Expander::vector_work(List& list, const Instruction& i, bool needs_sums) {
  if (needs_sums) wait_for_sums(list);
  const Count operations = extent(i.elements) * i.operations_per_element;
  if (i.queue == program::kSpecialQueue) {
    lane_work(list, WarpPipe::special, sm_.lanes.special, operations, 1);
  } else if (i.queue == program::kIntegerQueue) {
    lane_work(list, WarpPipe::integer, sm_.lanes.integer, operations, 1);
  } else {
    lane_work(list, WarpPipe::fp32, sm_.lanes.fp32, operations, 1);
  }
  const Bytes bytes = extent(i.elements) * (i.read_bytes_per_element + i.write_bytes_per_element);
  if (bytes > 0)
    shared_bytes(list, WarpOp::write_shared, ceil_div(bytes, computing_), WarpInstruction::kNone);
}

void Expander::wait_for_sums(List& list) const {
  for (const auto& [first, number] : sums_) {
    WarpInstruction i = lane(WarpPipe::integer, sm_.lanes.integer, 1);
    i.sources[0] = static_cast<std::int16_t>(first + static_cast<std::int16_t>(number - 1));
    list.push_back(i);
  }
}

void Expander::epilogue(WarpProgram& w) {
  if (cta_.unit == MmaUnit::none) {
    for (const Instruction* i : tail_) vector_work(w.tail, *i, false);
    WarpInstruction s = copy(0, 0, 1);
    s.op = WarpOp::store;
    w.tail.push_back(s);
    return;
  }
  wait_for_sums(w.tail);
  Count sums = 0, operations = 0;
  for (const Instruction* i : tail_) {
    sums += extent(i->elements);
    operations += extent(i->elements) * i->operations_per_element;
  }
  const Count steps = std::clamp<Count>(ceil_div(sums, cta_.threads * kSumsOfStep), 1, kMostParts);
  const std::int16_t rows = new_registers(1);
  const auto part_of = [&](Count all, Count step) {
    const Count each = ceil_div(all, computing_);
    return each * (step + 1) / steps - each * step / steps;
  };
  for (Count step = 0; step < steps; ++step) {
    const Count lane_instructions = ceil_div(part_of(operations, step), sm_.warp_lanes);
    if (lane_instructions > 0)
      w.tail.push_back(lane(WarpPipe::fp32, sm_.lanes.fp32, lane_instructions));
    const Bytes bytes = part_of(stored_, step);
    shared_bytes(w.tail, WarpOp::write_shared, bytes, WarpInstruction::kNone);
    w.tail.push_back(control(WarpOp::barrier));
    shared_bytes(w.tail, WarpOp::read_shared, bytes, rows);
    if (sums_elsewhere_ && step + 1 == steps) w.tail.push_back(control(WarpOp::free_sums));
    WarpInstruction s = copy(0, step, steps);
    s.op = WarpOp::store;
    s.sources[0] = rows;
    w.tail.push_back(s);
    w.tail.push_back(control(WarpOp::barrier));
  }
}

}  // namespace tilewave
