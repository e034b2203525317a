// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "arch/core/sm/detailed/cta_expansion.hpp"

namespace tilewave {

/// Builds the programs of one kernel's warps: what all kernels have (expander.cpp), products of warps
/// (expander_warps.cpp), of warp groups and of the CTA (expander_groups.cpp).
class Expander {
 public:
  Expander(const SmParams& sm, const CtaPlan& plan, CtaExpansion& out)
      : sm_(sm), plan_(plan), cta_(plan.kernel().cta), out_(out) {}

  void run();

 private:
  using List = std::vector<WarpInstruction>;
  static constexpr Count kMostParts = 250;  ///< of a copy or an epilogue

  void read(const std::vector<program::Node>& nodes, bool in_loop = false);

  [[nodiscard]] std::int16_t new_registers(Count number);

  // Single instructions.

  /// A lane instruction: as many cycles as the warp's lanes need of the pipe's.
  [[nodiscard]] WarpInstruction lane(WarpPipe pipe, Count lanes, Count repeat) const;
  static WarpInstruction control(WarpOp op, Count arg = 0);
  [[nodiscard]] WarpInstruction shared(WarpOp op, Bytes bytes, std::int16_t result) const;
  /// Whole instructions of at most 16 bytes a lane.
  void shared_bytes(List& list, WarpOp op, Bytes bytes, std::int16_t result) const;
  static WarpInstruction copy(Count ahead, Count part, Count parts);

  // Copies.

  [[nodiscard]] Count ahead() const { return plan_.stages() - 1; }
  /// Before the first slab: what is fetched ahead. Through registers: the next slab when those of this one
  /// are free again.
  void copy_head(List& head) const;
  [[nodiscard]] WarpInstruction keep(Count ahead) const;
  [[nodiscard]] WarpProgram fetcher() const;
  void loop_overhead(List& list, Count number) const;

  // Products of warps, operands in registers.

  struct Product {
    Count steps = 1;
    Bytes step_bytes = 0;  ///< of fragments
    std::int16_t fragments = 0, sums = 0;
    Count fragments_each = 1;
    std::vector<List> multiplies;  ///< of a step, for each half of the fragments
  };

  [[nodiscard]] Product product_of(const program::Instruction& i);

  /// Loads the fragments of a step.
  void load_fragments(List& list, const Product& p, Count half) const;

  void convert(List& list, const program::Instruction& i) const;
  /// Operations of all computing warps together, some of each lane an instruction.
  void lane_work(List& list, WarpPipe pipe, Count lanes, Count operations, Count of_lane) const;

  /// The loop of a library's kernel: fragments of a step are loaded while the one before is
  /// multiplied, across slabs too. In the last step the next slab must be there, and all warps must have
  /// read this one, when just as many multiplies are left as hide the loads of the next fragments.
  void slab_of_product(WarpProgram& w);

  void last_step(List& slab, const Product& p, Count half, const List& side);
  /// Where before `end` multiplies begin that take so many cycles of their pipe.
  static List::const_iterator before_end(const List& list, List::const_iterator end, Cycle cycles);

  /// Any other slab: its instructions in order, each waiting for the one before.
  void slab_in_order(WarpProgram& w);

  /// Lane operations of a vector instruction; after sums, it needs these.
  void vector_work(List& list, const program::Instruction& i, bool needs_sums);
  void wait_for_sums(List& list) const;

  // Products of warp groups: operands from shared memory.

  void group_product(List& list, const program::Instruction& i) const;

  void slab_of_groups(WarpProgram& w);

  // Products of the CTA: one warp multiplies, the others take the sums from tensor memory.

  void sums_of_cta(WarpProgram& w);

  [[nodiscard]] WarpProgram multiplier() const;

  // What comes after the slabs.

  void epilogue(WarpProgram& w);

  const SmParams& sm_;
  const CtaPlan& plan_;
  const program::Cta& cta_;
  CtaExpansion& out_;
  bool groups_ = false, copies_through_registers_ = false, fetch_ahead_ = true,
       sums_elsewhere_ = false;
  Count computing_ = 1;
  Count registers_ = 0;
  std::vector<std::pair<std::int16_t, Count>> sums_;
  std::vector<const program::Instruction*> work_, tail_;
  Bytes stored_ = 0, copied_ = 0;  ///< of a block; of a product's slab
  Count lane_loads_ = 0, lane_load_wavefronts_ = 0;
  Bytes lane_load_bytes_ = 0;
};

}  // namespace tilewave
