// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "arch/core/sm/detailed/expander.hpp"
#include "arch/core/sm/detailed/lane_products.hpp"
#include "arch/core/sm/detailed/mma_timing.hpp"
#include "arch/core/sm/warp_facts.hpp"

namespace tilewave {

using namespace warp;
using program::Instruction;
using program::MmaUnit;
using program::UnitKind;

namespace {

/// Lane multiplies of a step, so many runs of them: what else there is goes between.
constexpr Count kRuns = 8;

using List = std::vector<WarpInstruction>;

/// Puts `side` evenly between the instructions of `main`, from its start on.
List interleave(const List& main, const List& side) {
  List out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < main.size(); ++i) {
    const std::size_t due = ((i + 1) * side.size() + main.size() - 1) / main.size();
    for (; done < due && done < side.size(); ++done) out.push_back(side[done]);
    out.push_back(main[i]);
  }
  for (; done < side.size(); ++done) out.push_back(side[done]);
  return out;
}

void append(List& list, const List& more) { list.insert(list.end(), more.begin(), more.end()); }

}  // namespace

Expander::Product Expander::product_of(const Instruction& i) {
  const DataType type = plan_.kernel().kernel.dtype;
  const unsigned bits = std::max(activation_bits(type), weight_bits(type));
  const Count wm = ceil_div(extent(i.m), cta_.warps_m), wn = ceil_div(extent(i.n), cta_.warps_n);
  Product p;
  copied_ = bytes_for((extent(i.m) + extent(i.n)) * extent(i.k), bits);
  if (cta_.unit == MmaUnit::lanes) {
    const LaneProduct tile = lane_product(sm_, type, wm, wn);
    p.steps = ceil_div(extent(i.k), tile.k);
    p.fragments = new_registers(2);
    for (Count half = 0; half < 2; ++half) {
      List list;
      for (Count run = 0; run < kRuns; ++run) {
        const Count number =
            tile.instructions * (run + 1) / kRuns - tile.instructions * run / kRuns;
        if (number == 0) continue;
        WarpInstruction fma = lane(tile.pipe, tile.lanes, number);
        fma.multiplies = true;
        fma.macs = static_cast<std::uint32_t>(tile.macs_each);
        fma.sources[0] = static_cast<std::int16_t>(p.fragments + static_cast<std::int16_t>(half));
        list.push_back(fma);
      }
      p.multiplies.push_back(std::move(list));
    }
    p.fragments_each = 1;
    lane_loads_ = tile.loads;
    lane_load_wavefronts_ = tile.load_wavefronts;
    lane_load_bytes_ = tile.load_bytes;
    return p;
  }
  const MmaTiming mma = mma_timing(*sm_.tensor, type);
  const Count step_k = std::max<Count>(kMmaKBits / bits, mma.k);
  p.steps = ceil_div(extent(i.k), step_k);
  p.step_bytes = bytes_for((wm + wn) * step_k, bits);
  const Bytes load = sm_.warp_lanes * kLaneBytes;
  p.fragments_each = ceil_div(p.step_bytes, load);
  p.fragments = new_registers(2 * p.fragments_each);
  const Count rows = ceil_div(wm, mma.m), columns = ceil_div(wn, mma.n);
  p.sums = new_registers(rows * columns);
  sums_.push_back({p.sums, rows * columns});
  const double rate = sm_.tensor->sustained_share * (cta_.sparse ? 2 : 1);
  const auto register_of = [&](Count half, Bytes byte) {
    return static_cast<std::int16_t>(
        p.fragments + static_cast<std::int16_t>(half * p.fragments_each +
                                                std::min(byte / load, p.fragments_each - 1)));
  };
  for (Count half = 0; half < 2; ++half) {
    List list;
    for (Count part = 0; part < step_k / mma.k; ++part) {
      for (Count set = 0; set < mma.sets; ++set) {
        for (Count r = 0; r < rows; ++r) {
          for (Count n = 0; n < columns; ++n) {
            // Back and forth, so that a fragment is used again at once.
            const Count c = r % 2 == 0 ? n : columns - 1 - n;
            const auto sums =
                static_cast<std::int16_t>(p.sums + static_cast<std::int16_t>(r * columns + c));
            append_set(list, mma, rate, set,
                       {.sums = sums,
                        .a = register_of(half, bytes_for(r * mma.m * step_k, bits)),
                        .b = register_of(half, bytes_for((wm + c * mma.n) * step_k, bits))});
          }
        }
      }
    }
    p.multiplies.push_back(std::move(list));
  }
  return p;
}

void Expander::load_fragments(List& list, const Product& p, Count half) const {
  const auto first =
      static_cast<std::int16_t>(p.fragments + static_cast<std::int16_t>(half * p.fragments_each));
  if (cta_.unit == MmaUnit::lanes) {
    for (Count n = 0; n < lane_loads_; ++n) {
      WarpInstruction i = shared(WarpOp::read_shared, lane_load_bytes_, first);
      i.wavefronts = static_cast<std::uint16_t>(lane_load_wavefronts_);
      list.push_back(i);
    }
    return;
  }
  const Bytes load = sm_.warp_lanes * kLaneBytes;
  for (Count n = 0; n < p.fragments_each; ++n) {
    const Bytes bytes = std::min(load, p.step_bytes - n * load);
    list.push_back(shared(WarpOp::read_shared, bytes,
                          static_cast<std::int16_t>(first + static_cast<std::int16_t>(n))));
  }
}

void Expander::convert(List& list, const Instruction& i) const {
  if (cta_.convert_operations == 0) return;
  const Count operations = extent(i.n) * extent(i.k) * cta_.convert_operations;
  lane_work(list, WarpPipe::fp16, std::max<Count>(1, sm_.lanes.fp16), operations, 2);
}

void Expander::slab_of_product(WarpProgram& w) {
  const Product p = product_of(*work_[0]);
  w.head.push_back(control(WarpOp::wait_slab));
  w.head.push_back(control(WarpOp::barrier));
  load_fragments(w.head, p, 0);
  for (Count step = 0; step < p.steps; ++step) {
    const Count half = step % 2;
    List side;
    if (fetch_ahead_ && !copies_through_registers_) {
      // A part in each step, if it is not needed in this slab already.
      const bool whole = p.steps > kMostParts || ahead() < 2;
      if (step == 0 || !whole) side.push_back(copy(ahead(), whole ? 0 : step, whole ? 1 : p.steps));
    }
    if (step == 0) convert(side, *work_[0]);
    loop_overhead(side,
                  kLoopInstructions * (step + 1) / p.steps - kLoopInstructions * step / p.steps);
    if (step + 1 < p.steps) {
      load_fragments(side, p, 1 - half);
      append(w.slab, interleave(p.multiplies[half], side));
    } else {
      last_step(w.slab, p, half, side);
    }
  }
}

void Expander::last_step(List& slab, const Product& p, Count half, const List& side) {
  const List& all = p.multiplies[half];
  List next;
  load_fragments(next, p, 0);
  Cycle loads = sm_.load_store.shared_latency_cycles;
  for (const WarpInstruction& i : next) loads += i.wavefronts;
  // With an odd number of steps the place of the next fragments is that of these.
  const auto barrier = half == 0 ? all.end() : before_end(all, all.end(), loads);
  const auto to_next = [](List& list) -> List& {
    for (WarpInstruction& i : list) i.unless_last = true;
    return list;
  };
  List arrived{control(WarpOp::wait_slab, 1)};
  List sync{control(WarpOp::barrier)};
  if (copies_through_registers_) {
    // Between multiplies: what has come is stored, and its registers get the slab after it.
    constexpr Count kParts = 4;
    List stores;
    for (Count part = 0; part < kParts; ++part) {
      WarpInstruction k = keep(1);
      k.part = static_cast<std::uint8_t>(part), k.parts = kParts;
      stores.push_back(k);
      stores.push_back(copy(2, part, kParts));
    }
    const auto stored = before_end(all, barrier, copied_ / sm_.load_store.shared_bytes_per_cycle);
    append(slab, interleave({all.begin(), stored}, side));
    append(slab, to_next(arrived));
    append(slab, interleave({stored, barrier}, to_next(stores)));
  } else {
    append(slab, interleave({all.begin(), barrier}, side));
    append(slab, to_next(arrived));
  }
  append(slab, to_next(sync));
  append(slab, interleave({barrier, all.end()}, to_next(next)));
}

Expander::List::const_iterator Expander::before_end(const List& list, List::const_iterator end,
                                                    Cycle cycles) {
  Ticks hidden = 0;
  while (end != list.begin() && hidden < cycles * kTicks) {
    --end;
    hidden += Ticks{end->interval} * end->repeat;
  }
  return end;
}

void Expander::slab_in_order(WarpProgram& w) {
  const bool shares = cta_.unit != MmaUnit::none;
  const Count ahead = copies_through_registers_ ? 0 : this->ahead();
  if (fetch_ahead_ && ahead == 0) {
    w.slab.push_back(copy(0, 0, 1));
    w.slab.push_back(control(WarpOp::wait_slab));
    if (copies_through_registers_) w.slab.push_back(keep(0));
  } else {
    w.slab.push_back(control(WarpOp::wait_slab));
  }
  if (shares) w.slab.push_back(control(WarpOp::barrier));
  if (fetch_ahead_ && ahead > 0) w.slab.push_back(copy(ahead, 0, 1));
  for (const Instruction* i : work_) {
    if (i->unit == UnitKind::vector) {
      vector_work(w.slab, *i, !sums_.empty());
      continue;
    }
    Product p = product_of(*i);
    convert(w.slab, *i);
    for (Count step = 0; step < p.steps; ++step) {
      if (step == 0) load_fragments(w.slab, p, 0);
      List side;
      if (step + 1 < p.steps) load_fragments(side, p, 1 - step % 2);
      append(w.slab, interleave(p.multiplies[step % 2], side));
    }
  }
  if (shares) loop_overhead(w.slab, kLoopInstructions);
  if (shares && cta_.specialised) w.slab.push_back(control(WarpOp::give_back));
}

}  // namespace tilewave
