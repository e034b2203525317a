// SPDX-License-Identifier: Apache-2.0
#include "workloads/mapping/vector_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "arch/program/queues.hpp"
#include "workloads/mapping/blocks.hpp"

namespace tilewave {

using program::Condition;
using program::Instruction;
using program::SlotUse;
using program::UnitKind;

namespace {

/// Chunks in flight should be several, so that fetching, computing and storing overlap, but not so
/// small that requests are tiny.
constexpr Count kChunks = 8;
constexpr Bytes kSmallestChunkBytes = 16384;

SlotUse produce(int slot) {
  SlotUse use;
  use.slot = slot;
  use.acquire = Condition::always();
  use.produce = true;
  return use;
}

SlotUse consume(int slot) {
  SlotUse use;
  use.slot = slot;
  use.wait = true;
  use.release = Condition::always();
  return use;
}

bool moves(const StreamOperand& operand) { return !operand.place.on_chip(); }

/// Bytes that `units` units of an operand take on chip.
Bytes staged_bytes(const StreamOperand& operand, Count units) {
  return operand.most_bytes ? operand.most_bytes(units)
                            : ceil_div(units * operand.bits_per_unit, Count{8});
}

class Chunking {
 public:
  Chunking(const StreamWork& work, const SystolicTarget& target, Bytes budget)
      : work_(work), target_(target), budget_(budget) {
    const Count pieces = ceil_div(work.units, work.units_together);
    units = std::min(work.units, ceil_div(pieces, cores()) * work.units_together);
    for (const StreamOperand& input : work.inputs) {
      if (moves(input) && input.whole) kept_ += input.place.bytes;
    }
  }
  /// Two stages of each slot, so that a chunk moves while another is worked on; one if two of the
  /// smallest chunk do not fit. False if that does not fit either.
  bool choose() {
    chunk = units;
    if (needed(1, 1) == 0) return true;
    if (target_.serial_windows) {
      stages = 1;
      while (!fits() && chunk > 1) chunk = ceil_div(chunk, Count{2});
      return fits();
    }
    stages = 2;
    const Count enough = ceil_div(kSmallestChunkBytes, std::max<Bytes>(1, needed(1, 1) - kept_));
    chunk = std::min(units, std::max(ceil_div(units, kChunks), enough));
    while (!fits() && chunk > 1) chunk = ceil_div(chunk, Count{2});
    // Chunks of formats below a byte end at whole bytes.
    if (chunk < units && chunk >= 8) chunk -= chunk % 8;
    if (!fits()) stages = 1;
    return fits();
  }
  [[nodiscard]] Bytes needed() const { return needed(chunk, stages); }

  Count units = 0;  ///< of a core
  Count chunk = 1, stages = 1;
  [[nodiscard]] Count chunks() const { return ceil_div(units, chunk); }

 private:
  /// What lies on chip lies in pieces on all cores; little work off chip is not worth dealing out.
  [[nodiscard]] Count cores() const {
    const bool off_chip =
        moves(work_.output) && std::all_of(work_.inputs.begin(), work_.inputs.end(), moves);
    const Count elements = work_.units * work_.elements_per_unit;
    return off_chip && elements < target_.core_split_elements ? 1 : target_.cores;
  }
  [[nodiscard]] Bytes needed(Count of_chunk, Count deep) const {
    Bytes bytes = 0;
    for (const StreamOperand& input : work_.inputs) {
      if (moves(input) && !input.whole) bytes += staged_bytes(input, of_chunk);
    }
    if (moves(work_.output)) bytes += staged_bytes(work_.output, of_chunk);
    return deep * bytes + kept_;
  }
  [[nodiscard]] bool fits() const { return target_.activation.unlimited || needed() <= budget_; }

  const StreamWork& work_;
  const SystolicTarget& target_;
  Bytes budget_;
  Bytes kept_ = 0;  // inputs that stay whole
};

/// Lane operations of a result with the conversions of what it is computed from and its own, where
/// the lanes do not take numbers of the type as they are.
Count operations(const StreamWork& work, DataType type, const SystolicTarget& target) {
  const auto casts = target.cast_operations.find(type);
  if (casts == target.cast_operations.end() || !work.computes) return work.operations;
  Count read_bits = 0;
  for (const StreamOperand& input : work.inputs) {
    if (!input.whole) read_bits += input.bits_per_unit;
  }
  const Count numbers =
      ceil_div(read_bits, activation_bits(type) * std::max<Count>(1, work.elements_per_unit));
  return work.operations + work.converted.value_or(numbers + 1) * casts->second;
}

class Builder {
 public:
  Builder(const KernelId& id, const StreamWork& work, Count operations, const Chunking& chunking)
      : work_(work), operations_(operations), chunk_(chunking.chunk), stages_(chunking.stages) {
    kernel_.name = id.name;
    kernel_.layer = id.layer;
    kernel_.dtype = id.dtype;
    loop_ = {.name = "chunk", .index = 0, .count = chunking.chunks(), .body = {}};
    kernel_.grid[0] = ceil_div(work.units, chunking.chunks() * chunk_);
  }

  program::Kernel build() {
    Instruction compute;
    compute.label = kernel_.name;
    compute.unit = UnitKind::vector;
    compute.elements.factors = {
        Span::tile(0, chunk_ * work_.elements_per_unit, work_.units * work_.elements_per_unit)};
    compute.operations_per_element = operations_;
    Count read_bits = work_.read_bits_per_element * work_.elements_per_unit;
    if (read_bits == 0) {
      for (const StreamOperand& input : work_.inputs) read_bits += input.bits_per_unit;
    }
    compute.read_bytes_per_element = ceil_div(read_bits, 8 * work_.elements_per_unit);
    compute.write_bytes_per_element =
        ceil_div(work_.output.bits_per_unit, 8 * work_.elements_per_unit);
    int fetched = 0;
    for (const StreamOperand& input : work_.inputs) {
      if (moves(input)) fetch(input, fetched++ == 0 ? kActivationLoads : kOperandLoads, compute);
    }
    const bool store = moves(work_.output);
    kernel_.description =
        fmt::format("vector unit: {}{} chunk{} of {} elements; {}, result {}",
                    kernel_.blocks() > 1 ? fmt::format("{} cores, each ", kernel_.blocks()) : "",
                    loop_.count, loop_.count == 1 ? "" : "s", chunk_ * work_.elements_per_unit,
                    fetched == 0                                       ? "input on chip"
                    : fetched == static_cast<int>(work_.inputs.size()) ? "input fetched"
                                                                       : "input partly on chip",
                    store ? "stored" : "stays on chip");
    if (!store) {
      loop_.body.emplace_back(std::move(compute));
    } else {
      const int slot = add_slot("results", staged_bytes(work_.output, chunk_), stages_);
      compute.slots.push_back(produce(slot));
      loop_.body.emplace_back(std::move(compute));
      Instruction out;
      out.label = "store results";
      out.unit = UnitKind::store;
      out.region = region(work_.output);
      out.slots = {consume(slot)};
      loop_.body.emplace_back(std::move(out));
    }
    const Count chunks = loop_.count;
    kernel_.body.emplace_back(std::move(loop_));
    if (kernel_.blocks() > 1) deal_to_blocks(kernel_.body, {{0, chunks, 0}});
    return std::move(kernel_);
  }

 private:
  int add_slot(std::string name, Bytes bytes, Count stages) {
    kernel_.slots.push_back({std::move(name), "activation", stages, bytes});
    return static_cast<int>(kernel_.slots.size()) - 1;
  }

  program::Region region(const StreamOperand& operand) {
    kernel_.tensors.push_back({operand.name, operand.place.space, operand.place.base_address,
                               operand.place.stored_bytes});
    program::Region r{.tensor = static_cast<int>(kernel_.tensors.size()) - 1};
    if (operand.whole) {
      r.shape = program::StridedRows{{}, Span::whole(operand.place.bytes)};
    } else if (operand.shape) {
      r.shape = operand.shape(chunk_, work_.units);
    } else {
      r.shape = program::StridedRows{{}, bytes_of(operand)};
    }
    return r;
  }
  /// Chunks of units one after another; where the tensor has less than so many whole units, to its
  /// end.
  [[nodiscard]] Span bytes_of(const StreamOperand& operand) const {
    const Bytes all = ceil_div(work_.units * operand.bits_per_unit, Count{8});
    return Span::tile(0, ceil_div(chunk_ * operand.bits_per_unit, Count{8}),
                      std::min(all, operand.place.stored_bytes));
  }

  void fetch(const StreamOperand& input, int queue, Instruction& compute) {
    Instruction load;
    load.label = "fetch " + input.name;
    load.queue = queue;
    load.region = region(input);
    const int slot = input.whole ? add_slot(input.name, input.place.bytes, 1)
                                 : add_slot(input.name, staged_bytes(input, chunk_), stages_);
    load.slots = {produce(slot)};
    SlotUse use = consume(slot);
    if (input.whole) {
      load.when.first = 1;  // of the only loop
      use.release = Condition{.last = 1};
    }
    compute.slots.push_back(use);
    loop_.body.emplace_back(std::move(load));
  }

  const StreamWork& work_;
  Count operations_;
  Count chunk_, stages_;
  program::Kernel kernel_;
  program::Loop loop_;
};

}  // namespace

std::optional<program::Kernel> build_vector_kernel(const KernelId& id, const StreamWork& work,
                                                   const SystolicTarget& target, Bytes budget_bytes,
                                                   Fault& why) {
  Chunking chunking(work, target, budget_bytes);
  if (!chunking.choose()) {
    why = {.file = {},
           .path = "core.buffers.activation",
           .message = fmt::format("too small for one chunk: {} bytes are needed, {} are free",
                                  chunking.needed(), budget_bytes)};
    return std::nullopt;
  }
  return Builder(id, work, operations(work, id.dtype, target), chunking).build();
}

program::Kernel build_write_kernel(const KernelId& id, const Placement& to) {
  program::Kernel kernel;
  kernel.name = id.name + ": write";
  kernel.layer = id.layer;
  kernel.dtype = id.dtype;
  kernel.description = "results go off chip, all at once";
  kernel.tensors.push_back({"C", to.space, to.base_address, to.stored_bytes});
  program::Instruction store;
  store.label = "store results";
  store.unit = program::UnitKind::store;
  store.region.tensor = 0;
  store.region.shape = program::StridedRows{{}, Span::whole(to.bytes)};
  kernel.body.emplace_back(std::move(store));
  return kernel;
}

program::Kernel build_skipped_kernel(const KernelId& id) {
  program::Kernel kernel;
  kernel.name = id.name;
  kernel.layer = id.layer;
  kernel.dtype = id.dtype;
  kernel.description = "skipped: this machine has no vector unit";
  return kernel;
}

}  // namespace tilewave
