// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "arch/matrix/array_params.hpp"
#include "arch/matrix/pe_fold.hpp"

namespace tilewave {

/// How operands are kept in the PEs' registers. Integers travel in 16 bits where they fit, which
/// halves the memory and makes short multiplies; sums are 32 bits in any case.
enum class PeFormat { narrow_integer, wide_integer, floating };

/// The operand and result registers of all PEs and of the array's edges. One object holds one
/// number format; which PEs work in a cycle is told by the tokens of a PeFold.
///
/// The order in a cycle is: enter_vector, enter_load_row; shift_results; multiply each fold, the
/// oldest first (it reads what a younger one overwrites); shift_load each load; end_cycle.
class PeDatapath {
 public:
  virtual ~PeDatapath() = default;

  /// The operands of the vector that enters in this cycle go to the entries of the edge registers.
  virtual void enter_vector(const PeFold& fold, Count vector) = 0;
  /// All PEs that hold a token of the fold multiply and add. Results that are complete leave, or
  /// (OS, shift) go to the drain registers. Counts the fold's MACs.
  virtual void multiply(PeFold& fold) = 0;
  /// Moves what moves by itself every cycle.
  virtual void end_cycle() = 0;

  /// WS, IS: a row of the stationary operand enters the top edge, at a slot of its skew registers.
  virtual void enter_load_row(const PeLoad& /*load*/, Index /*row*/, Index /*slot*/) {}
  /// WS, IS: the columns that a pulse of the load has reached shift down by one row.
  virtual void shift_load(const PeLoad& /*load*/) {}
  /// OS, shift: the columns whose results are complete shift down and out by one row.
  virtual void shift_results() {}

  /// Of narrow_integer: the same registers with the same contents, as wide_integer.
  [[nodiscard]] virtual std::unique_ptr<PeDatapath> widened() const = 0;
};

/// Slots of the top edge's skew registers: rows under way at once, one entering a cycle.
[[nodiscard]] Index load_skew_slots(const ArrayParams& params);

[[nodiscard]] std::unique_ptr<PeDatapath> make_stationary_datapath(const ArrayParams& params,
                                                                   PeFormat format);
[[nodiscard]] std::unique_ptr<PeDatapath> make_output_datapath(const ArrayParams& params,
                                                               PeFormat format);

}  // namespace tilewave
