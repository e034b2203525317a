// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/program/affine.hpp"
#include "arch/program/data_type.hpp"
#include "arch/program/gemm_values.hpp"
#include "arch/program/region.hpp"
#include "sim/units.hpp"

/// The program: the one border between workloads and hardware (design, section 3). A program is a
/// list of kernels; a kernel is a grid of blocks; a block is a loop nest of tile instructions on
/// named buffers ("slots"). Loops stay loops, sizes and addresses are affine in the loop indices,
/// so a program is small whatever the problem's size, can be printed, and its work can be counted
/// without running it.
namespace tilewave::program {

/// Which unit executes an instruction.
enum class UnitKind { load, store, matrix, vector };
[[nodiscard]] std::string_view to_string(UnitKind unit);

/// Where a tensor lives outside the core.
/// `link`: the chips next to this one in a ring; a load from there sends as much to the one and
/// receives as much from the other.
enum class Space { dram, host, on_chip, link };
[[nodiscard]] std::string_view to_string(Space space);

/// When something happens inside a loop nest: always, never, or only if every loop whose bit is set
/// is in its first, in its last, or not in its last iteration.
struct Condition {
  bool never = false;
  std::uint8_t first = 0;     ///< bit i: loop i must be at index 0
  std::uint8_t last = 0;      ///< bit i: loop i must be at its last index
  std::uint8_t not_last = 0;  ///< bit i: loop i must have an iteration to come

  [[nodiscard]] static Condition always() { return {}; }
  [[nodiscard]] static Condition no() { return {.never = true}; }
};

/// One use of a slot by an instruction. A slot is a ring of stages; a stage is filled by one or
/// more parts (one a producing instruction), read, and given back.
///   acquire: before it starts, the instruction takes the next free stage (waits until there is
///   one). produce: when it ends, one more part of the stage is there. wait:    before it starts,
///   part number `part` (from 0) of the stage must be there. release: when it no longer needs it,
///   it gives the stage back; the stage is free when it has been
///            given back Slot::releases times.
/// A use that acquires is of the new stage. Any other is, in program order, of the stage acquired
/// last, or with `stage` of the one that the kernel acquired as number `stage` (from 0).
struct SlotUse {
  /// Which side of the matrix unit it serves; `plain` for the other units.
  enum class Role : std::uint8_t { plain, stationary, stream, result };
  int slot = 0;
  Role role = Role::plain;
  std::optional<Affine> stage{};
  Condition acquire = Condition::no();
  bool produce = false;
  bool wait = false;
  Count part = 0;
  Condition release = Condition::no();
};

/// A named on-chip buffer area of a kernel: `stages` areas of `stage_bytes` each in `buffer`.
struct Slot {
  std::string name;    ///< "weights", "activations", "accumulators", "results", …
  std::string buffer;  ///< the buffer of the machine that holds it
  Count stages = 1;
  Bytes stage_bytes = 0;
  Count releases = 1;  ///< consumers that give a stage back before it is free
};

/// A tensor of the kernel, with real addresses.
struct Tensor {
  std::string name;
  Space space = Space::dram;
  std::uint64_t base_address = 0;
  Bytes bytes = 0;
};

/// A size that may be the product of several spans (images x rows x columns).
struct Size {
  std::vector<Span> factors;
  [[nodiscard]] Count at(const LoopIndex& index) const noexcept {
    Count product = 1;
    for (const auto& f : factors) product *= f.size_at(index);
    return product;
  }
};

/// One step of one unit on one tile.
struct Instruction {
  std::string label;  ///< in words: "load weights"
  UnitKind unit = UnitKind::load;
  int queue = 0;  ///< instruction queue of the unit (each executes in order)
  Condition when = Condition::always();
  /// Kernels execute in order: an instruction waits until all earlier kernels are complete, unless
  /// it runs ahead because it needs nothing of theirs (a fetch of weights).
  bool runs_ahead = false;
  std::vector<SlotUse> slots;

  Region region;  ///< load, store

  Size m, n, k;          ///< matrix: C[m x n] += A[m x k] B[k x n]
  Affine batch_index{};  ///< matrix: which of a batch of multiplications
  Condition accumulate_first = Condition::always();  ///< matrix: sums start from zero here
  Condition accumulate_last = Condition::always();   ///< matrix: sums are complete here

  Size elements;                     ///< vector: elements produced
  Count operations_per_element = 1;  ///< vector: lane cycles an element takes
  bool reads_accumulators = false;   ///< vector: its input is in the accumulators, else in the
                                     ///< activation buffer
  Bytes read_bytes_per_element = 0;
  Bytes write_bytes_per_element = 0;  ///< vector: into the activation buffer
};

struct Loop;
using Node = std::variant<Instruction, Loop>;
struct Loop {
  std::string name;  ///< "m", "n", "k", "batch"
  int index = 0;     ///< position in LoopIndex
  Count count = 1;
  std::vector<Node> body;
};

/// What one op becomes: a kernel.
struct Kernel {
  std::string name;         ///< the op's name
  std::string description;  ///< mapping in words, goes into the report
  int layer = 0;            ///< which op of the workload
  DataType dtype = DataType::int8;
  /// Blocks in x, y, z. Block b = x + grid[0] (y + grid[1] z) runs on core b; cores without one wait.
  std::array<Count, kGridDims> grid{1, 1, 1};
  Cycle launch_cycles = 0;  ///< that pass before its first instruction may start
  /// Its loads may go on while it is launched, and stores of the kernel before it may still end.
  bool transfers_in_launch = false;
  int reads_results_of = -1;  ///< latest kernel whose results it reads; -1: none
  std::vector<Tensor> tensors;
  std::vector<Slot> slots;
  std::vector<Node> body;
  std::shared_ptr<GemmValues> values;  ///< operands and result when functional, else null

  [[nodiscard]] Count blocks() const { return grid[0] * grid[1] * grid[2]; }
};

struct Program {
  std::vector<Kernel> kernels;
};

/// Work of all blocks of a kernel, counted from the loop nest.
struct Work {
  Count macs = 0;
  Count instructions = 0;
  Count vector_operations = 0;
  Bytes dram_read_bytes = 0, dram_write_bytes = 0;
  Bytes host_read_bytes = 0, host_write_bytes = 0;
  Bytes link_bytes = 0;  ///< received over the links between chips; as many are sent
};
[[nodiscard]] Work count_work(const Kernel& kernel);

/// Prints a program for people (--dump-program).
[[nodiscard]] std::string to_text(const Program& program);

/// Runs through the instructions of a kernel's block in program order, loop by loop, without
/// expanding it; through none if the kernel has no such block.
class Walker {
 public:
  explicit Walker(const Kernel& kernel, Count block = 0);
  /// The current instruction, null at the end.
  [[nodiscard]] const Instruction* current() const noexcept { return current_; }
  [[nodiscard]] const LoopIndex& index() const noexcept { return index_; }
  [[nodiscard]] bool holds(const Condition& condition) const noexcept;
  void next();

 private:
  struct Frame {
    const std::vector<Node>* nodes;
    std::size_t position;
    const Loop* loop;  ///< null at the top
  };
  void settle();
  std::vector<Frame> stack_;
  LoopIndex index_{};
  std::uint8_t at_first_ = 0xff, at_last_ = 0xff;  ///< loops not entered count as both
  const Instruction* current_ = nullptr;
};

}  // namespace tilewave::program
