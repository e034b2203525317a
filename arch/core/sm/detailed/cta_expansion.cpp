// SPDX-License-Identifier: Apache-2.0
#include "arch/core/sm/detailed/cta_expansion.hpp"

#include <algorithm>
#include <cmath>

#include "arch/core/sm/detailed/lane_products.hpp"
#include "arch/core/sm/detailed/mma_timing.hpp"
#include "arch/core/sm/detailed/shared_memory.hpp"

namespace tilewave {

using program::Instruction;
using program::MmaUnit;
using program::UnitKind;

namespace {

/// Bytes that a lane moves with one instruction.
constexpr Bytes kLaneBytes = 16;
/// k of a step, in bits (PTX ISA: k16 of 16 bits, k32 of 8).
constexpr unsigned kStepBits = 256;
/// Rows of a warp group's multiply, and how many warps it has (PTX ISA, wgmma).
constexpr Count kGroupRows = 64, kGroupWarps = 4;
/// Instructions of a slab's loop beside loads and multiplies: counter, branch, addresses (as in the
/// costs of `fast`).
constexpr Count kLoopInstructions = 16;
/// Sums of a thread that an epilogue takes at a time.
constexpr Count kSumsOfStep = 8;
constexpr Count kMostParts = 250;
/// Lane multiplies of a step, so many runs of them: what else there is goes between.
constexpr Count kRuns = 8;

Count extent(const program::Size& size) {
  Count product = 1;
  for (const Span& f : size.factors) product *= static_cast<Count>(f.length);
  return product;
}

Bytes stored_bytes(const Instruction& i) {
  const auto* rows = std::get_if<program::StridedRows>(&i.region.shape);
  if (rows == nullptr) return 0;
  auto bytes = static_cast<Bytes>(rows->row_bytes.length);
  for (const auto& dim : rows->dims) bytes *= static_cast<Bytes>(dim.span.length);
  return bytes;
}

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

/// Builds the programs of one kernel's warps.
class Expander {
 public:
  Expander(const SmParams& sm, const CtaPlan& plan, CtaExpansion& out)
      : sm_(sm), plan_(plan), cta_(plan.kernel().cta), out_(out) {}

  void run() {
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
    const bool product = work_.size() == 1 && work_[0]->unit == UnitKind::matrix &&
                         (!copies_through_registers_ || (plan_.stages() > 1 && !cta_.persistent));
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

 private:
  void read(const std::vector<program::Node>& nodes, bool in_loop = false) {
    for (const program::Node& node : nodes) {
      if (const auto* loop = std::get_if<program::Loop>(&node)) {
        read(loop->body, true);
        continue;
      }
      const auto& i = std::get<Instruction>(node);
      if (in_loop && (i.unit == UnitKind::matrix || i.unit == UnitKind::vector))
        work_.push_back(&i);
      if (!in_loop && i.unit == UnitKind::vector) tail_.push_back(&i);
      if (i.unit == UnitKind::store) stored_ += stored_bytes(i);
    }
  }

  [[nodiscard]] std::int16_t new_registers(Count number) {
    const auto first = static_cast<std::int16_t>(registers_);
    registers_ += number;
    return first;
  }

  // Single instructions.

  /// A lane instruction: as many cycles as the warp's lanes need of the pipe's.
  [[nodiscard]] WarpInstruction lane(WarpPipe pipe, Count lanes, Count repeat) const {
    WarpInstruction i;
    i.pipe = pipe;
    i.repeat = static_cast<std::uint16_t>(repeat);
    i.interval = static_cast<std::uint32_t>(kTicks * sm_.warp_lanes / std::max<Count>(1, lanes));
    i.latency = static_cast<std::uint16_t>(sm_.lanes.latency_cycles);
    return i;
  }
  static WarpInstruction control(WarpOp op, Count arg = 0) {
    WarpInstruction i;
    i.op = op;
    i.arg = static_cast<std::uint16_t>(arg);
    return i;
  }
  [[nodiscard]] WarpInstruction shared(WarpOp op, Bytes bytes, std::int16_t result) const {
    WarpInstruction i;
    i.op = op;
    i.pipe = WarpPipe::memory;
    i.bytes = static_cast<std::uint32_t>(bytes);
    i.wavefronts =
        static_cast<std::uint16_t>(ceil_div(bytes, sm_.load_store.shared_bytes_per_cycle));
    i.latency = static_cast<std::uint16_t>(sm_.load_store.shared_latency_cycles);
    i.result = result;
    return i;
  }
  /// Whole instructions of at most 16 bytes a lane.
  void shared_bytes(List& list, WarpOp op, Bytes bytes, std::int16_t result) const {
    const Bytes most = sm_.warp_lanes * kLaneBytes;
    for (Bytes done = 0; done < bytes; done += most) {
      list.push_back(shared(op, std::min(most, bytes - done), result));
    }
  }
  static WarpInstruction copy(Count ahead, Count part, Count parts) {
    WarpInstruction i = control(WarpOp::copy, ahead);
    i.pipe = WarpPipe::memory;
    i.part = static_cast<std::uint8_t>(part);
    i.parts = static_cast<std::uint8_t>(parts);
    return i;
  }

  // Copies.

  [[nodiscard]] Count ahead() const { return plan_.stages() - 1; }
  /// Before the first slab: what is fetched ahead. Through registers: the next slab when those of this one
  /// are free again.
  void copy_head(List& head) const {
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
  [[nodiscard]] WarpInstruction keep(Count ahead) const {
    WarpInstruction i = shared(WarpOp::keep, sm_.warp_lanes * kLaneBytes, WarpInstruction::kNone);
    i.arg = static_cast<std::uint16_t>(ahead);
    return i;
  }
  [[nodiscard]] WarpProgram fetcher() const {
    WarpProgram p;
    p.computes = false;
    p.slab = {control(WarpOp::wait_room), copy(0, 0, 1)};
    return p;
  }
  void loop_overhead(List& list, Count number) const {
    for (Count n = 0; n < number; ++n) {
      list.push_back(lane(WarpPipe::integer, sm_.lanes.integer, 1));
    }
  }

  // Products of warps, operands in registers.

  struct Product {
    Count steps = 1;
    Bytes step_bytes = 0;  ///< of fragments
    std::int16_t fragments = 0, sums = 0;
    Count fragments_each = 1;
    std::vector<List> multiplies;  ///< of a step, for each half of the fragments
  };

  [[nodiscard]] Product product_of(const Instruction& i) {
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
    const Count step_k = std::max<Count>(kStepBits / bits, mma.k);
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

  /// Loads the fragments of a step.
  void load_fragments(List& list, const Product& p, Count half) const {
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

  void convert(List& list, const Instruction& i) const {
    if (cta_.convert_operations == 0) return;
    const Count operations = extent(i.n) * extent(i.k) * cta_.convert_operations;
    lane_work(list, WarpPipe::fp16, std::max<Count>(1, sm_.lanes.fp16), operations, 2);
  }
  /// Operations of all computing warps together, some of each lane an instruction.
  void lane_work(List& list, WarpPipe pipe, Count lanes, Count operations, Count of_lane) const {
    Count number = ceil_div(operations, computing_ * sm_.warp_lanes * of_lane);
    while (number > 0) {
      const Count now = std::min<Count>(number, 4096);
      WarpInstruction i = lane(pipe, std::max<Count>(1, lanes / of_lane), now);
      list.push_back(i);
      number -= now;
    }
  }

  /// The loop of a library's kernel: fragments of a step are loaded while the one before is
  /// multiplied, across slabs too. In the last step the next slab must be there, and all warps must have
  /// read this one, when just as many multiplies are left as hide the loads of the next fragments.
  void slab_of_product(WarpProgram& w) {
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
        if (step == 0 || !whole)
          side.push_back(copy(ahead(), whole ? 0 : step, whole ? 1 : p.steps));
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

  void last_step(List& slab, const Product& p, Count half, const List& side) {
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
  /// Where before `end` multiplies begin that take so many cycles of their pipe.
  static List::const_iterator before_end(const List& list, List::const_iterator end, Cycle cycles) {
    Ticks hidden = 0;
    while (end != list.begin() && hidden < cycles * kTicks) {
      --end;
      hidden += Ticks{end->interval} * end->repeat;
    }
    return end;
  }

  /// Any other slab: its instructions in order, each waiting for the one before.
  void slab_in_order(WarpProgram& w) {
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

  /// Lane operations of a vector instruction; after sums, it needs these.
  void vector_work(List& list, const Instruction& i, bool needs_sums) {
    if (needs_sums) wait_for_sums(list);
    const Count operations = extent(i.elements) * i.operations_per_element;
    lane_work(list, WarpPipe::fp32, sm_.lanes.fp32, operations, 1);
    const Bytes bytes = extent(i.elements) * (i.read_bytes_per_element + i.write_bytes_per_element);
    if (bytes > 0)
      shared_bytes(list, WarpOp::write_shared, ceil_div(bytes, computing_), WarpInstruction::kNone);
  }
  void wait_for_sums(List& list) const {
    for (const auto& [first, number] : sums_) {
      WarpInstruction i = lane(WarpPipe::integer, sm_.lanes.integer, 1);
      i.sources[0] = static_cast<std::int16_t>(first + static_cast<std::int16_t>(number - 1));
      list.push_back(i);
    }
  }

  // Products of warp groups: operands from shared memory.

  void group_product(List& list, const Instruction& i) const {
    const DataType type = plan_.kernel().kernel.dtype;
    const unsigned bits = std::max(activation_bits(type), weight_bits(type));
    const Count wm = ceil_div(extent(i.m), cta_.warps_m), wn = ceil_div(extent(i.n), cta_.warps_n);
    const Count step_k = kStepBits / bits, steps = ceil_div(extent(i.k), step_k);
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
    const double cycles = static_cast<double>(macs * sm_.sub_cores) / kGroupWarps / rate /
                          sm_.tensor->sustained_share;
    m.interval = static_cast<std::uint32_t>(std::llround(cycles * kTicks));
    m.bytes =
        static_cast<std::uint32_t>(bytes_for((wm + wn) * step_k, bits) / blocks / kGroupWarps);
    m.wavefronts =
        static_cast<std::uint16_t>(ceil_div<Bytes>(m.bytes, sm_.load_store.shared_bytes_per_cycle));
    for (Count step = 0; step < steps; ++step) {
      for (Count block = 0; block < blocks; ++block) list.push_back(m);
    }
  }

  void slab_of_groups(WarpProgram& w) {
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

  // Products of the CTA: one warp multiplies, the others take the sums from tensor memory.

  void sums_of_cta(WarpProgram& w) {
    w.tail.push_back(control(WarpOp::wait_sums));
    sums_elsewhere_ = true;
  }

  [[nodiscard]] WarpProgram multiplier() const {
    const DataType type = plan_.kernel().kernel.dtype;
    const unsigned bits = std::max(activation_bits(type), weight_bits(type));
    WarpProgram p;
    p.computes = false;
    p.head.push_back(control(WarpOp::wait_place));
    p.slab.push_back(control(WarpOp::wait_slab));
    for (const Instruction* i : work_) {
      if (i->unit != UnitKind::matrix) continue;
      const Count step_k = kStepBits / bits, steps = ceil_div(extent(i->k), step_k);
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
      m.wavefronts = static_cast<std::uint16_t>(
          ceil_div<Bytes>(m.bytes, sm_.load_store.shared_bytes_per_cycle));
      for (Count step = 0; step < steps; ++step) p.slab.push_back(m);
    }
    p.slab.push_back(control(WarpOp::commit));
    // What a slab's multiplies have read is free when they are done.
    p.slab.push_back(control(WarpOp::give_back));
    p.tail.push_back(control(WarpOp::give_sums));
    return p;
  }

  // What comes after the slabs.

  void epilogue(WarpProgram& w) {
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
    const Count steps =
        std::clamp<Count>(ceil_div(sums, cta_.threads * kSumsOfStep), 1, kMostParts);
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

  const SmParams& sm_;
  const CtaPlan& plan_;
  const program::Cta& cta_;
  CtaExpansion& out_;
  bool groups_ = false, copies_through_registers_ = false, fetch_ahead_ = true,
       sums_elsewhere_ = false;
  Count computing_ = 1;
  Count registers_ = 0;
  std::vector<std::pair<std::int16_t, Count>> sums_;
  std::vector<const Instruction*> work_, tail_;
  Bytes stored_ = 0, copied_ = 0;  ///< of a block; of a product's slab
  Count lane_loads_ = 0, lane_load_wavefronts_ = 0;
  Bytes lane_load_bytes_ = 0;
};

CtaExpansion::CtaExpansion(const SmParams& sm, const CtaPlan& plan) {
  Expander(sm, plan, *this).run();
}

Count CtaExpansion::warps() const {
  Count sum = 0;
  for (const Role& role : roles_) sum += role.warps;
  return sum;
}

}  // namespace tilewave
