// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/matrix/pe_datapath.hpp"
#include "arch/matrix/pe_operands.hpp"
#include "arch/matrix/pe_registers.hpp"

namespace tilewave {
namespace {

/// A PE array that keeps the results in place (OS). Modelled, each register and each cycle: one
/// operand moves right, the other down, each PE adds their product to its sum. The last vector
/// makes the sum a result in the same cycle: it is written out through a port of the PE (direct) or
/// put in the PE's drain register (shift). There it waits until the PE at the bottom of the column
/// has its result; then the column's drain registers shift down by one row a cycle, and results
/// leave at the bottom. A drain register that is written too early loses what it held.
template <typename Operand, typename Acc>
class OutputDatapath final : public PeDatapath {
 public:
  explicit OutputDatapath(const ArrayParams& params)
      : rows_(static_cast<Index>(params.rows)),
        cols_(static_cast<Index>(params.cols)),
        shift_out_(params.output_drain == OutputDrain::shift),
        left_(rows_, cols_),
        top_(rows_, cols_),
        sums_(rows_, cols_),
        drain_(shift_out_ ? rows_ : 0, cols_),
        draining_(params.cols) {}

  template <typename Narrow>
  explicit OutputDatapath(const OutputDatapath<Narrow, Acc>& narrow)
      : rows_(narrow.rows_),
        cols_(narrow.cols_),
        shift_out_(narrow.shift_out_),
        left_(narrow.left_),
        top_(narrow.top_),
        sums_(narrow.sums_),
        drain_(narrow.drain_) {
    for (const auto& column : narrow.draining_) {
      draining_.push_back({column.fold, column.rows_left});
    }
  }

  void enter_vector(const PeFold& fold, Count vector) override {
    read_operands(fold.values, &NumbersOf<Acc>::stream, vector * fold.shape.rows_used,
                  fold.shape.rows_used, left_.row(0), left_.pitch());
    for (Index c = 0; c < static_cast<Index>(fold.shape.cols_used); ++c) {
      read_operands(fold.values, &NumbersOf<Acc>::stream_top,
                    vector * fold.shape.cols_used + static_cast<Count>(c), 1, &top_.entry(c), 1);
    }
  }

  void multiply(PeFold& fold) override {
    if (!fold.inside()) return;
    if (fold.shape.first && fold.first_vector_inside()) clear_sums(fold);
    ColumnRange rows = fold.rows(rows_);
    rows.last = std::min(rows.last, static_cast<Index>(fold.shape.rows_used) - 1);
    for (Index r = rows.first; r <= rows.last; ++r) {
      const ColumnRange cols = fold.columns(r);
      if (cols.empty()) continue;
      accumulate_row(sums_.row(r), left_.at_pes(r), top_.row(r), cols);
      fold.macs += static_cast<Count>(cols.size());
    }
    if (fold.shape.last && fold.last_vector_inside()) complete(fold);
  }

  void shift_results() override {
    for (Index begin = 0; begin < cols_;) {
      if (column(begin).rows_left == 0) {
        ++begin;
        continue;
      }
      Index end = begin + 1;
      while (end < cols_ && column(end).rows_left > 0 && column(end).fold == column(begin).fold) {
        ++end;
      }
      shift_columns(begin, end);
      begin = end;
    }
  }

  void end_cycle() override {
    left_.shift();
    top_.shift();
  }

  [[nodiscard]] std::unique_ptr<PeDatapath> widened() const override {
    return std::make_unique<OutputDatapath<Acc, Acc>>(*this);
  }

 private:
  template <typename, typename>
  friend class OutputDatapath;

  /// A column of drain registers that shifts: `rows_left` results, in the lowest rows.
  struct DrainColumn {
    PeFold* fold = nullptr;
    Index rows_left = 0;
  };

  DrainColumn& column(Index c) { return draining_[static_cast<std::size_t>(c)]; }

  /// Used rows in which diagonal `diagonal` crosses a used column.
  static ColumnRange used_rows(const PeFold& fold, Index diagonal) {
    const Index last_col = static_cast<Index>(fold.shape.cols_used) - 1;
    const Index last_row = static_cast<Index>(fold.shape.rows_used) - 1;
    return {std::max(diagonal - last_col, Index{0}), std::min(diagonal, last_row), 1};
  }

  /// The PEs that meet the first vector start from zero.
  void clear_sums(const PeFold& fold) {
    const ColumnRange rows = used_rows(fold, fold.front);
    for (Index r = rows.first; r <= rows.last; ++r) sums_.at(r, fold.front - r) = Acc{0};
  }

  /// The PEs that have met the last vector hold results.
  void complete(PeFold& fold) {
    const Index diagonal = fold.tail();
    const ColumnRange rows = used_rows(fold, diagonal);
    for (Index r = rows.first; r <= rows.last; ++r) {
      const Index c = diagonal - r;
      if (shift_out_) {
        drain_.at(r, c) = sums_.at(r, c);
      } else {
        put_out(fold, r, c, sums_.at(r, c));
      }
    }
    const Index bottom_col = diagonal - (rows_ - 1);
    if (!shift_out_ || bottom_col < 0) return;
    if (column(bottom_col).rows_left > 0) {
      throw SimulationError("systolic array: results are overwritten before they have left");
    }
    column(bottom_col) = {&fold, rows_};
  }

  static void put_out(const PeFold& fold, Index r, Index c, Acc result) {
    deliver(fold.values, r * static_cast<Index>(fold.shape.cols_used) + c, result,
            fold.vectors_summed);
  }

  /// One shift of neighbouring columns of one fold; a column has shifted less than its left one.
  void shift_columns(Index begin, Index end) {
    PeFold& fold = *column(begin).fold;
    const Index used_end = std::min(end, static_cast<Index>(fold.shape.cols_used));
    for (Index c = begin; c < used_end; ++c) {
      const Index row = column(c).rows_left - 1;
      if (row < static_cast<Index>(fold.shape.rows_used)) {
        put_out(fold, row, c, drain_.at(rows_ - 1, c));
      }
    }
    Index first = begin;
    for (Index r = rows_ - 1; r >= 1; --r) {
      // Row r takes row r - 1 where that still holds a result.
      while (first < used_end && rows_ - column(first).rows_left > r - 1) ++first;
      if (first >= used_end) break;
      copy_row(drain_.row(r), drain_.row(r - 1), {first, used_end - 1, 1});
    }
    for (Index c = begin; c < end; ++c) --column(c).rows_left;
    if (end == cols_ && column(end - 1).rows_left == 0) fold.drained = true;
  }

  Index rows_;
  Index cols_;
  bool shift_out_;
  RightShiftRegisters<Operand> left_;
  DownShiftRegisters<Operand> top_;
  PeGrid<Acc> sums_;
  PeGrid<Acc> drain_;
  std::vector<DrainColumn> draining_;
};

}  // namespace

std::unique_ptr<PeDatapath> make_output_datapath(const ArrayParams& params, PeFormat format) {
  switch (format) {
    case PeFormat::narrow_integer:
      return std::make_unique<OutputDatapath<std::int16_t, std::int32_t>>(params);
    case PeFormat::wide_integer:
      return std::make_unique<OutputDatapath<std::int32_t, std::int32_t>>(params);
    case PeFormat::floating:
      break;
  }
  return std::make_unique<OutputDatapath<float, float>>(params);
}

}  // namespace tilewave
