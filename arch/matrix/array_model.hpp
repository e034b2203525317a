// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "arch/matrix/array_params.hpp"
#include "arch/matrix/fold_values.hpp"

namespace tilewave {

/// Contract of a matrix unit seen from its sequencer; two variants obey it with equal cycles. Of the
/// systolic array: FoldArray (closed form, one step a fold) and PeArray (every register of every PE,
/// every cycle). Of the cube, whose rules are in cube/cube_timing.hpp: FoldCube and BlockCube; its
/// stream begins with the filling of L0A and L0B and ends when the operands have left L1.
///
/// Timing rules of the array (R rows, C columns, operands enter skewed by one hop a row or column; H = hops a
/// cycle, all times in cycles, n hops take ceil(n / H); I = interval, T = stream; fold_timing.hpp
/// has them as functions). For H = 1:
///  - Stationary load (WS, IS): occupies the load path [L, L + load_cycles), load_cycles >= R. It
///    enters at row 0, skewed by column, and may begin at L >=
///      the end of the previous load, and
///      the start of the previous fold's stream      if weight_double_buffer, else
///      the end of the previous fold's stream        if fold_overlap, else
///      the completion of the previous fold.
///  - Stream: occupies the entry [t, t + T I), vector v enters at t + v I; may begin at t >=
///      the end of its own load (WS, IS), and
///      the end of the previous stream               if fold_overlap, else
///      the completion of the previous fold, and
///      OS with shift drain, only if this fold is `last`: the drain registers of the fold that
///      drained before, p, are free when this fold deposits its results:
///      t + (T-1) I >= t_p + (T_p - 1) I_p + R.
///    A fold that is not `first` (OS) continues the sums in place and may follow its predecessor
///    at once also without fold_overlap.
///  - Completion, the first cycle in which all results of the fold have left the array and its
///    entry is free: the later of t + T I and
///      WS, IS         t + (T-1) I + R + C - 1
///      OS, direct     t + (T-1) I + R + C - 1
///      OS, not last   t + (T-1) I + R + C - 1       (the last product is added)
///      OS, shift      t + (T-1) I + 2R + C - 1      (the sum goes to its drain register in the
///                                                    cycle of the last product, then R shifts)
///    The full R and C count, also for edge folds: the pipeline has a fixed length.
///    For H > 1, R in the rules above, R + C - 1 and 2R + C - 1 are numbers of hops: each is divided
///    by H, rounded up. Starts stay at whole cycles.
///  - Occupancy of PEs, MACs and values follow from the same movement.
///
/// Without overlap and double buffering a WS or IS fold therefore takes T + 2R + C - 2 cycles and
/// an OS fold with direct drain T + R + C - 2, SCALE-Sim's counts
/// (docs/coming_from_scale_sim.md).
///
/// The caller advances time: every call passes `now`, calls come in non-decreasing `now`, and
/// advance(now) must be called before the others in a cycle. FoldValues stay alive, their operands
/// unchanged, until their fold is complete; the array sizes and fills `result`. A call that breaks
/// the rules (too early, a shape or operands that do not fit) throws SimulationError.
class ArrayModel {
 public:
  virtual ~ArrayModel() = default;

  /// Brings the state to the start of cycle `now`.
  virtual void advance(Cycle now) = 0;
  /// Earliest cycle > now at which a query below may change its answer; kNever if none. For
  /// can_stream that holds for the shape it was last asked about.
  [[nodiscard]] virtual Cycle next_event(Cycle now) const = 0;

  /// True if the load of the next fold's stationary operand may begin now.
  [[nodiscard]] virtual bool can_load(Cycle now) const = 0;
  /// Begins it. `values` may be null (no functional simulation).
  virtual void start_load(Cycle now, const FoldShape& shape, FoldValues* values) = 0;
  /// True while a load occupies the path (cube: while L0A and L0B are filled and nothing else).
  [[nodiscard]] virtual bool loading(Cycle now) const = 0;

  /// True if the next fold (its operand loaded, in order) may begin to stream now.
  [[nodiscard]] virtual bool can_stream(Cycle now, const FoldShape& shape) const = 0;
  /// Begins it. In OS `values` carries both operands; in WS and IS the pointer given to start_load
  /// of the same fold is used.
  virtual void start_stream(Cycle now, const FoldShape& shape, FoldValues* values) = 0;
  /// True while vectors enter (cube: while it is at the blocks of a fold).
  [[nodiscard]] virtual bool streaming(Cycle now) const = 0;
  /// True while results of a started fold are still inside (streaming included): until it is
  /// complete.
  [[nodiscard]] virtual bool in_flight(Cycle now) const = 0;

  /// Folds whose stationary operand has been taken over completely (its buffer may be reused).
  [[nodiscard]] virtual Count loads_done() const = 0;
  /// Folds whose last vector has entered.
  [[nodiscard]] virtual Count streams_done() const = 0;
  /// Folds complete, in order: a fold counts once those before it are complete, too. (OS: a fold
  /// that leaves its sums inside may be complete before the one that is still shifting out.)
  [[nodiscard]] virtual Count folds_done() const = 0;
  /// Multiply-accumulates of used rows and columns of the complete folds.
  [[nodiscard]] virtual Count macs_done() const = 0;
};

/// Of the unit that the parameters say, an array or a cube: by closed forms, or step by step.
[[nodiscard]] std::unique_ptr<ArrayModel> make_fold_array(const ArrayParams& params);
[[nodiscard]] std::unique_ptr<ArrayModel> make_pe_array(const ArrayParams& params);
[[nodiscard]] std::unique_ptr<ArrayModel> make_fold_cube(const ArrayParams& params);
[[nodiscard]] std::unique_ptr<ArrayModel> make_block_cube(const ArrayParams& params);

}  // namespace tilewave
