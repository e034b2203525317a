// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/collective_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "arch/program/queues.hpp"
#include "workloads/ops/collective.hpp"

namespace tilewave {

using program::Condition;
using program::Instruction;
using program::SlotUse;
using program::Space;
using program::UnitKind;

namespace {

/// Pieces are not so small that requests are tiny, nor so many that the program is long to run.
constexpr Bytes kSmallestPieceBytes = 16384;
constexpr Count kMostPieces = 64;
/// A piece is a whole number of so many elements, so that formats below a byte end at whole bytes.
constexpr Count kElementsTogether = 64;
constexpr int kPieceLoop = 0;

/// How a part is cut, and how many pieces of each kind are on chip.
struct Pieces {
  Count elements = 0;  ///< of a piece
  Bytes bytes = 0;
  Count count = 0;  ///< in a part
  Count stages = 0;
  bool carried = false;  ///< what a step makes stays on chip for the next to send
  Bytes needed_bytes = 0;
};

class Cutting {
 public:
  Cutting(Count part_elements, unsigned bits, const SystolicTarget& target, Bytes budget)
      : part_(part_elements), bits_(bits), target_(target), budget_(budget) {}

  [[nodiscard]] Pieces choose() const {
    // As many pieces are under way as the link's latency holds; each takes two places in a queue.
    const Count deep = std::max<Count>(1, target_.queue_depth / 2);
    const auto on_link =
        static_cast<Bytes>(std::ceil(target_.link_bytes_per_cycle * target_.link_latency_cycles));
    const Bytes part_bytes = bytes_for(part_, bits_);
    const Bytes wanted =
        std::max({kSmallestPieceBytes, ceil_div(on_link, deep > 3 ? deep - 2 : Count{1}),
                  ceil_div(part_bytes, kMostPieces)});
    for (Count elements = rounded(wanted * 8 / bits_);; elements = rounded(elements / 2)) {
      for (const bool carried : {true, false}) {
        const Pieces p = cut(elements, deep, carried);
        if (target_.activation.unlimited || p.needed_bytes <= budget_) return p;
        if (!carried && elements == kElementsTogether) return p;  // does not fit
      }
    }
  }

 private:
  [[nodiscard]] static Count rounded(Count elements) {
    return std::max(elements / kElementsTogether, Count{1}) * kElementsTogether;
  }
  [[nodiscard]] Pieces cut(Count elements, Count deep, bool carried) const {
    Pieces p{.elements = std::min(elements, part_), .carried = carried};
    p.bytes = bytes_for(p.elements, bits_);
    p.count = ceil_div(part_, p.elements);
    p.stages = std::min(std::max<Count>(2, deep), 2 * p.count);
    p.needed_bytes = p.bytes * (4 * p.stages + (carried ? 2 * p.count : 0));
    return p;
  }

  Count part_;
  unsigned bits_;
  const SystolicTarget& target_;
  Bytes budget_;
};

class Builder {
 public:
  Builder(const KernelId& id, const Collective& op, const OpTensors& tensors, const Pieces& pieces)
      : op_(op),
        bits_(activation_bits(id.dtype)),
        part_(part_elements(op)),
        part_bytes_(bytes_for(part_, bits_)),
        pieces_(pieces),
        steps_(ring_steps(op)) {
    kernel_.name = id.name;
    kernel_.layer = id.layer;
    kernel_.dtype = id.dtype;
    const Placement& input = tensors.inputs[0].place;
    kernel_.tensors = {
        {"input", input.space, input.base_address, input.stored_bytes},
        {"output", tensors.output.space, tensors.output.base_address, tensors.output.stored_bytes},
        {"ring", Space::link, 0, part_bytes_}};
    const auto slot = [&](const char* name, Count stages, Bytes bytes) {
      kernel_.slots.push_back({name, "activation", stages, bytes});
    };
    slot("to send", pieces.carried ? 2 * pieces.count : pieces.stages, pieces.bytes);
    slot("own", pieces.stages, pieces.bytes);
    slot("received", pieces.stages, pieces.bytes);
    slot("results", pieces.stages, pieces.bytes);
    slot("steps received", 2, 0);
    if (pieces.carried) {
      slot("first to send", pieces.stages, pieces.bytes);
    } else {
      slot("pieces written", 2 * pieces.count, 0);
    }
  }

  program::Kernel build() {
    const Count chips = op_.chips;
    const Count reducing = op_.kind == CollectiveKind::all_gather ? 0 : chips - 1;
    for (Count s = 0; s < steps_; ++s) {
      program::Loop loop{.name = "piece", .index = kPieceLoop, .count = pieces_.count, .body = {}};
      body_ = &loop.body;
      if (s < reducing) {
        reduce_step(s, chips, s + 1 == reducing);
      } else {
        gather_step(s, s - reducing, chips);
      }
      kernel_.body.emplace_back(std::move(loop));
    }
    kernel_.description =
        fmt::format("ring of {} chips: {} steps of {} piece{} of {} bytes; what is passed on {}",
                    chips, steps_, pieces_.count, pieces_.count == 1 ? "" : "s", pieces_.bytes,
                    pieces_.carried ? "stays on chip" : "goes through memory");
    return std::move(kernel_);
  }

 private:
  enum Tensor : int { kInput, kOutput, kRing };
  // The last is one or the other: what the first step sends where later ones send what was carried, or
  // what each step has written for the next to fetch.
  enum Slot : int { kSend, kOwn, kReceived, kResults, kSteps, kFirst, kWritten = kFirst };

  /// A sum of a reduce_scatter that is not the last lies where its output will; of an all_reduce, too.
  void reduce_step(Count s, Count chips, bool last) {
    if (s == 0) {
      load("fetch part to send", region(kInput, chips - 1), {take(first_slot())});
    } else if (!pieces_.carried) {
      load("fetch sum to send", region(kOutput, 0), {use_written(s - 1), take(kSend)});
    }
    load("fetch own part", region(kInput, chips - 2 - s), {take(kOwn)});
    exchange(s, false);
    Instruction add;
    add.label = "add";
    add.unit = UnitKind::vector;
    add.elements.factors = {Span::tile(kPieceLoop, pieces_.elements, part_)};
    add.read_bytes_per_element = ceil_div(2 * bits_, 8U);
    add.write_bytes_per_element = ceil_div(bits_, 8U);
    add.slots = {give_back(kReceived), give_back(kOwn)};
    const bool store_it = last || !pieces_.carried;
    if (store_it) add.slots.push_back(take(kResults));
    if (pieces_.carried && s + 1 < steps_) add.slots.push_back(take(kSend));
    body_->emplace_back(std::move(add));
    if (store_it) store("store sum", kOutput, 0, kResults, s);
  }

  void gather_step(Count s, Count t, Count chips) {
    if (s == 0) {
      load("fetch part to send", region(kInput, 0), {take(first_slot())});
    } else if (!pieces_.carried) {
      load("fetch part to send", region(kOutput, t == 0 ? 0 : chips - t),
           {use_written(s - 1), take(kSend)});
    }
    if (s == 0) {  // an all_gather alone
      load("fetch own part", region(kInput, 0), {take(kOwn)});
      Instruction copy = storing("copy own part", 0);
      copy.slots = {give_back(kOwn)};
      body_->emplace_back(std::move(copy));
    }
    exchange(s, pieces_.carried && s + 1 < steps_);
    store("store part", kOutput, chips - 1 - t, kReceived, s);
  }

  /// Sends a piece and receives one. The first of a step waits for all of the step before.
  void exchange(Count s, bool carry) {
    Instruction i;
    i.label = "exchange";
    i.queue = kOperandLoads;
    i.region.tensor = kRing;
    i.region.shape = program::StridedRows{{}, Span::tile(kPieceLoop, pieces_.bytes, part_bytes_)};
    i.slots = {s == 0            ? give_back(first_slot(), 0)
               : pieces_.carried ? give_back(kSend, s - 1)
                                 : give_back(kSend, s),
               take(kReceived)};
    if (s > 0) {
      SlotUse before;
      before.slot = kSteps;
      before.stage = Affine::constant(static_cast<std::int64_t>(s) - 1);
      before.wait = true;
      before.part = pieces_.count - 1;
      before.release = Condition{.last = 1U << kPieceLoop};
      i.slots.push_back(before);
    }
    if (s + 1 < steps_) {
      SlotUse received = take(kSteps);
      received.acquire = Condition{.first = 1U << kPieceLoop};
      i.slots.push_back(received);
    }
    if (carry) i.slots.push_back(take(kSend));
    body_->emplace_back(std::move(i));
  }

  void load(std::string label, program::Region region, std::vector<SlotUse> slots) {
    Instruction i;
    i.label = std::move(label);
    i.queue = kActivationLoads;
    i.region = std::move(region);
    i.slots = std::move(slots);
    body_->emplace_back(std::move(i));
  }
  [[nodiscard]] Instruction storing(std::string label, Count part) const {
    Instruction i;
    i.label = std::move(label);
    i.unit = UnitKind::store;
    i.region = region(kOutput, part);
    return i;
  }
  void store(std::string label, Tensor, Count part, Slot from, Count s) {
    Instruction i = storing(std::move(label), part);
    i.slots = {give_back(from)};
    if (!pieces_.carried && s + 1 < steps_) i.slots.push_back(take(kWritten));
    body_->emplace_back(std::move(i));
  }

  static SlotUse take(Slot slot) {
    SlotUse use;
    use.slot = slot;
    use.acquire = Condition::always();
    use.produce = true;
    return use;
  }
  static SlotUse give_back(Slot slot) {
    SlotUse use;
    use.slot = slot;
    use.wait = true;
    use.release = Condition::always();
    return use;
  }
  /// The piece's stage, taken in step `s` of those in which stages of the slot are taken.
  [[nodiscard]] SlotUse give_back(Slot slot, Count s) const {
    SlotUse use = give_back(slot);
    use.stage = Affine::of_loop(kPieceLoop, 1, static_cast<std::int64_t>(s * pieces_.count));
    return use;
  }
  [[nodiscard]] Slot first_slot() const { return pieces_.carried ? kFirst : kSend; }
  [[nodiscard]] SlotUse use_written(Count s) const { return give_back(kWritten, s); }

  /// A piece of part `part` of a tensor; of a tensor that is one part only, that one.
  [[nodiscard]] program::Region region(Tensor tensor, Count part) const {
    const bool whole = tensor == kInput ? op_.kind != CollectiveKind::all_gather
                                        : op_.kind != CollectiveKind::reduce_scatter;
    const Bytes all = whole ? bytes_for(op_.elements, bits_) : part_bytes_;
    program::Region r{.tensor = tensor};
    r.offset_bytes = Affine::constant(
        static_cast<std::int64_t>(std::min(part * part_bytes_, all - part_bytes_)));
    r.shape = program::StridedRows{{}, Span::tile(kPieceLoop, pieces_.bytes, part_bytes_)};
    return r;
  }

  const Collective& op_;
  unsigned bits_;
  Count part_;
  Bytes part_bytes_;
  Pieces pieces_;
  Count steps_;
  program::Kernel kernel_;
  std::vector<program::Node>* body_ = nullptr;
};

}  // namespace

std::optional<program::Kernel> build_collective_kernel(const KernelId& id,
                                                       const Collective& collective,
                                                       const OpTensors& tensors,
                                                       const SystolicTarget& target,
                                                       Bytes budget_bytes, Fault& why) {
  const Pieces pieces =
      Cutting(part_elements(collective), activation_bits(id.dtype), target, budget_bytes).choose();
  if (!target.activation.unlimited && pieces.needed_bytes > budget_bytes) {
    why = {
        .file = {},
        .path = "core.buffers.activation",
        .message = fmt::format("too small for the pieces of a collective: {} bytes are needed, {} "
                               "are free",
                               pieces.needed_bytes, budget_bytes)};
    return std::nullopt;
  }
  return Builder(id, collective, tensors, pieces).build();
}

double ring_cycles(const Collective& collective, DataType type, const SystolicTarget& target) {
  const auto part =
      static_cast<double>(bytes_for(part_elements(collective), activation_bits(type)));
  return static_cast<double>(ring_steps(collective)) *
         (part / target.link_bytes_per_cycle + target.link_latency_cycles);
}

}  // namespace tilewave
