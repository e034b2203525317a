// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "arch/matrix/fold_values.hpp"
#include "arch/matrix/pe_datapath.hpp"

namespace tilewave {

/// The registers of the array in each kind of number that is in use. In hardware they are the same
/// registers; here a fold of integers and a fold of floats that follow each other do not see each
/// other's bits.
class PeDatapathSet {
 public:
  explicit PeDatapathSet(const ArrayParams& params) : params_(params) {}

  /// Makes sure there are registers for these operands (null: ones, integers); true if floating.
  /// Integer registers become wide with the first operand that needs it, and keep what they hold.
  bool prepare(const FoldValues* values);

  [[nodiscard]] PeDatapath& of(bool floating) { return *datapaths_[floating ? 1 : 0]; }
  void shift_results();
  void end_cycle();

 private:
  [[nodiscard]] std::unique_ptr<PeDatapath> make(PeFormat format) const;

  ArrayParams params_;
  bool wide_ = false;
  std::array<std::unique_ptr<PeDatapath>, 2> datapaths_;  ///< integer, floating; made when needed
};

}  // namespace tilewave
