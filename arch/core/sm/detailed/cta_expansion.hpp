// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/core/sm/cta_plan.hpp"
#include "arch/core/sm/detailed/warp_program.hpp"

namespace tilewave {

/// A kernel's CTA as warps: which programs they run.
///
/// Made from the kernel's tile instructions alone, whatever op it is of: a matrix instruction becomes, step
/// by step of k, loads of fragments and the multiplies of each warp's tile (or of a warp group's, or of
/// the CTA's); a vector instruction becomes lane instructions; loads become copies, a part for each warp
/// that copies, so many slabs ahead as there are stages; what follows the loop becomes an epilogue that takes
/// sums through shared memory, some of each thread at a time.
class CtaExpansion {
 public:
  struct Role {
    WarpProgram program;
    Count warps = 1;
  };

  CtaExpansion(const SmParams& sm, const CtaPlan& plan);
  /// Not covered: attention whose sums lie in tensor memory (warps that wait for a part of the slab's
  /// products and then do lane work).
  [[nodiscard]] static bool covers(const program::Cta& cta) {
    return !cta.stepwise || cta.unit != program::MmaUnit::tcgen05;
  }

  [[nodiscard]] const std::vector<Role>& roles() const { return roles_; }
  /// Warps that share what is copied (the first of their role), and that store.
  [[nodiscard]] Count copiers() const { return copiers_; }
  [[nodiscard]] std::size_t copier_role() const { return copier_role_; }
  [[nodiscard]] Count computing_warps() const { return roles_.front().warps; }
  /// A copy is one instruction each tile, by a copy engine.
  [[nodiscard]] bool by_engine() const { return by_engine_; }
  /// Data goes to shared memory by itself: takes its port when it arrives.
  [[nodiscard]] bool lands_in_shared() const { return lands_in_shared_; }
  [[nodiscard]] Count warps() const;

 private:
  friend class Expander;
  std::vector<Role> roles_;
  Count copiers_ = 1;
  std::size_t copier_role_ = 0;
  bool by_engine_ = false, lands_in_shared_ = false;
};

}  // namespace tilewave
