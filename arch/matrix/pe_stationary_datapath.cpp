// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "arch/matrix/pe_datapath.hpp"
#include "arch/matrix/pe_operands.hpp"
#include "arch/matrix/pe_registers.hpp"

namespace tilewave {
namespace {

/// A PE array that keeps one operand in place (WS, IS). Modelled, each register and each cycle: the
/// other operand moves right, partial sums move down and leave at the bottom; the stationary
/// operand's rows come in at the top, the last row first, and shift down the columns, each column
/// one cycle after its left neighbour, into the working registers or into the shadow plane; with a
/// shadow plane, a PE takes over its shadow register as the first vector of the fold reaches it.
/// A PE shifts only if the PE above holds a row of the load under way: rows not yet reached keep
/// working. Rows and columns a fold does not use pass sums on and hold nothing.
template <typename Operand, typename Acc>
class StationaryDatapath final : public PeDatapath {
 public:
  explicit StationaryDatapath(const ArrayParams& params)
      : rows_(static_cast<Index>(params.rows)),
        double_buffer_(params.weight_double_buffer),
        activations_(rows_, static_cast<Index>(params.cols)),
        stationary_(rows_, static_cast<Index>(params.cols)),
        shadow_(double_buffer_ ? rows_ : 0, static_cast<Index>(params.cols)),
        sums_(rows_ + 1, static_cast<Index>(params.cols)),
        load_skew_(load_skew_slots(params), static_cast<Index>(params.cols)) {}

  template <typename Narrow>
  explicit StationaryDatapath(const StationaryDatapath<Narrow, Acc>& narrow)
      : rows_(narrow.rows_),
        double_buffer_(narrow.double_buffer_),
        activations_(narrow.activations_),
        stationary_(narrow.stationary_),
        shadow_(narrow.shadow_),
        sums_(narrow.sums_),
        load_skew_(narrow.load_skew_) {}

  void enter_vector(const PeFold& fold, Count vector) override {
    read_operands(fold.values, &NumbersOf<Acc>::stream, vector * fold.shape.rows_used,
                  fold.shape.rows_used, activations_.row(0), activations_.pitch());
  }

  void multiply(PeFold& fold) override {
    if (!fold.inside()) return;
    if (double_buffer_ && fold.first_vector_inside()) take_over_shadow(fold);
    const auto rows_used = static_cast<Index>(fold.shape.rows_used);
    const ColumnRange rows = fold.rows(rows_);
    // Upwards, so that the sums of the row above are still those of the last cycle.
    for (Index r = rows.last; r >= rows.first; --r) {
      const ColumnRange cols = fold.columns(r);
      if (cols.empty()) continue;
      if (r < rows_used) {
        multiply_add_row(sums_.row(r + 1), sums_.row(r), activations_.at_pes(r), stationary_.row(r),
                         cols);
        fold.macs += static_cast<Count>(cols.size());
      } else {
        copy_row(sums_.row(r + 1), sums_.row(r), cols);
      }
    }
    collect(fold);
  }

  void enter_load_row(const PeLoad& load, Index row, Index slot) override {
    const Count cols = load.shape.cols_used;
    Operand* target = load_skew_.row(slot);
    if (row < static_cast<Index>(load.shape.rows_used)) {
      read_operands(load.values, &NumbersOf<Acc>::stationary, static_cast<Count>(row) * cols, cols,
                    target, 1);
    } else {
      std::fill_n(target, cols, Operand{0});
    }
  }

  void shift_load(const PeLoad& load) override {
    if (load.pulses.empty()) return;
    PeGrid<Operand>& registers = double_buffer_ ? shadow_ : stationary_;
    const Index oldest = load.pulses.front().number;
    // The pulse `number` finds this load's operands in rows 0 .. number - 1 of its column.
    for (Index r = load.pulses.back().number; r >= 1; --r) {
      shift_row(registers, r, load, std::max(r - oldest, Index{0}));
    }
    for (const PeLoadPulse& pulse : load.pulses) {
      registers.at(0, pulse.column) = load_skew_.at(pulse.slot, pulse.column);
    }
  }

  void end_cycle() override { activations_.shift(); }

  [[nodiscard]] std::unique_ptr<PeDatapath> widened() const override {
    return std::make_unique<StationaryDatapath<Acc, Acc>>(*this);
  }

 private:
  template <typename, typename>
  friend class StationaryDatapath;

  /// The swap travels with the first vector.
  void take_over_shadow(const PeFold& fold) {
    const Index last_col = static_cast<Index>(fold.shape.cols_used) - 1;
    const Index last_row = std::min(static_cast<Index>(fold.shape.rows_used) - 1, fold.front);
    for (Index r = std::max(fold.front - last_col, Index{0}); r <= last_row; ++r) {
      stationary_.at(r, fold.front - r) = shadow_.at(r, fold.front - r);
    }
  }

  /// Sums that the bottom row has just completed.
  void collect(const PeFold& fold) {
    const Index bottom = rows_ - 1;
    const ColumnRange cols = fold.columns(bottom);
    const Acc* sums = sums_.row(rows_);
    for (Index c = cols.first; c <= cols.last; c += cols.step) {
      const Index vector = static_cast<Index>(fold.left) + (fold.front - bottom - c) / cols.step;
      deliver(fold.values, vector * static_cast<Index>(fold.shape.cols_used) + c, sums[c],
              fold.shape.rows_used);
    }
  }

  /// Row r takes row r - 1 in the columns of the load's pulses from index `from` on.
  void shift_row(PeGrid<Operand>& registers, Index r, const PeLoad& load, Index from) {
    const auto begin = load.pulses.begin() + from;
    const Index count = load.pulses.end() - begin;
    const Index right = begin->column;
    const Index left = load.pulses.back().column;
    if (right - left + 1 == count) {  // a row every cycle: neighbouring columns
      copy_row(registers.row(r), registers.row(r - 1), {left, right, 1});
      return;
    }
    const Operand* above = registers.row(r - 1);
    Operand* here = registers.row(r);
    for (auto pulse = begin; pulse != load.pulses.end(); ++pulse) {
      here[pulse->column] = above[pulse->column];
    }
  }

  Index rows_;
  bool double_buffer_;
  RightShiftRegisters<Operand> activations_;
  PeGrid<Operand> stationary_;
  PeGrid<Operand> shadow_;
  PeGrid<Acc> sums_;  ///< row 0: the zeros of the top edge; row r + 1: what PE row r computed
  PeGrid<Operand> load_skew_;  ///< rows that wait at the top edge for their turn in each column
};

}  // namespace

Index load_skew_slots(const ArrayParams& params) { return static_cast<Index>(params.cols) + 1; }

std::unique_ptr<PeDatapath> make_stationary_datapath(const ArrayParams& params, PeFormat format) {
  switch (format) {
    case PeFormat::narrow_integer:
      return std::make_unique<StationaryDatapath<std::int16_t, std::int32_t>>(params);
    case PeFormat::wide_integer:
      return std::make_unique<StationaryDatapath<std::int32_t, std::int32_t>>(params);
    case PeFormat::floating:
      break;
  }
  return std::make_unique<StationaryDatapath<float, float>>(params);
}

}  // namespace tilewave
