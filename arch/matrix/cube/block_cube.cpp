// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "arch/matrix/array_model.hpp"
#include "arch/matrix/fold_checks.hpp"
#include "arch/matrix/multiply_add.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// The operands of a slice in one half of L0A and L0B: rows of one k each.
template <typename Operand>
struct Half {
  std::vector<Operand> a, b;
};
using HalfValues = std::variant<Half<std::int32_t>, Half<float>>;

/// The cube block by block and cycle by cycle. Modelled: a half of L0A and L0B that is filled for so
/// many cycles; blocks that go from the filled half into the multipliers, one every so many cycles,
/// along n, then m, k outermost; a pipeline of so many stages. Nothing here knows when a fold will be
/// complete: it is when its last block has left the pipeline.
class BlockCube final : public ArrayModel {
 public:
  explicit BlockCube(const ArrayParams& params) : params_(params) { check_array(params); }

  void advance(Cycle now) override {
    while (cycle_ < now && !folds_.empty()) step();
    cycle_ = std::max(cycle_, now);
  }
  [[nodiscard]] Cycle next_event(Cycle now) const override {
    return folds_.empty() ? kNever : now + 1;
  }

  [[nodiscard]] bool can_load(Cycle /*now*/) const override { return false; }
  void start_load(Cycle /*now*/, const FoldShape& /*shape*/, FoldValues* /*values*/) override {
    throw SimulationError("cube: it holds no operand still");
  }
  [[nodiscard]] bool loading(Cycle now) const override {
    return !streaming(now) && filled_folds_ < folds_.size();
  }

  [[nodiscard]] bool can_stream(Cycle /*now*/, const FoldShape& /*shape*/) const override {
    return filled_folds_ == folds_.size() && !halves_[next_fill_ % 2].used;
  }

  void start_stream(Cycle now, const FoldShape& shape, FoldValues* values) override {
    advance(now);
    if (!can_stream(now, shape)) throw SimulationError("cube: a fold begins too early");
    check_shape(params_, shape);
    chain_.enter(params_, shape, values);
    folds_.push_back({.shape = shape, .values = values});
  }

  [[nodiscard]] bool streaming(Cycle /*now*/) const override {
    // Between two slices of a fold, and from the first cycle of one that is there.
    for (const Fold& fold : folds_) {
      if (fold.slices_multiplied == fold.shape.cube.slices) continue;
      return fold.blocks_entered > 0 || halves_[next_multiply_ % 2].ready;
    }
    return false;
  }
  [[nodiscard]] bool in_flight(Cycle /*now*/) const override { return !folds_.empty(); }

  [[nodiscard]] Count loads_done() const override { return 0; }
  [[nodiscard]] Count streams_done() const override { return folds_done_ + filled_folds_; }
  [[nodiscard]] Count folds_done() const override { return folds_done_; }
  [[nodiscard]] Count macs_done() const override { return macs_done_; }

 private:
  struct Fold {
    FoldShape shape;
    FoldValues* values = nullptr;
    Count slices_filled = 0, slices_multiplied = 0;
    Count blocks_entered = 0;
    Count macs = 0;
    [[nodiscard]] Count k_begin(Count slice) const { return slice * shape.cube.depth; }
    [[nodiscard]] Count k_end(Count slice) const {
      return std::min(shape.stream, k_begin(slice + 1));
    }
  };
  struct L0Half {
    bool used = false;   ///< being filled, or its slice is not multiplied yet
    bool ready = false;  ///< filled
    HalfValues values;
  };
  /// Where the multipliers are in a slice.
  struct Position {
    Count row = 0, col = 0, k = 0;  ///< first of the block
    Cycle pass = 0;                 ///< of the block
  };
  struct InPipeline {
    Cycle leaves = 0;
    bool last_of_fold = false;
  };

  void step() {
    const bool filled = fill();
    multiply();
    ++cycle_;
    // What was filled in this cycle can be multiplied in the next.
    if (filled) halves_[(next_fill_ - 1) % 2].ready = true;
    while (!pipeline_.empty() && pipeline_.front().leaves <= cycle_) {
      const bool last = pipeline_.front().last_of_fold;
      pipeline_.pop_front();
      if (last) complete(folds_.front());
    }
  }

  /// A cycle of the paths from L1; true if a half became full.
  bool fill() {
    if (!filled_for_) {
      if (filled_folds_ == folds_.size() || halves_[next_fill_ % 2].used) return false;
      halves_[next_fill_ % 2].used = true;
      filled_for_ = 0;
    }
    Fold& fold = folds_[filled_folds_];
    if (++*filled_for_ < fold.shape.cube.fill(fold.slices_filled)) return false;
    if (fold.values != nullptr) copy(fold, halves_[next_fill_ % 2]);
    filled_for_.reset();
    ++next_fill_;
    if (++fold.slices_filled == fold.shape.cube.slices) ++filled_folds_;
    return true;
  }

  static void copy(const Fold& fold, L0Half& half) {
    const Count from = fold.k_begin(fold.slices_filled), to = fold.k_end(fold.slices_filled);
    const Count rows = fold.shape.rows_used, cols = fold.shape.cols_used;
    std::visit(
        [&](const auto& numbers) {
          using Operand = typename std::decay_t<decltype(numbers.stream)>::value_type;
          const auto part = [&](const std::vector<Operand>& all, Count width) {
            return std::vector<Operand>(all.begin() + static_cast<std::ptrdiff_t>(from * width),
                                        all.begin() + static_cast<std::ptrdiff_t>(to * width));
          };
          half.values = Half<Operand>{part(numbers.stream, rows), part(numbers.stream_top, cols)};
        },
        *fold.values);
  }

  void multiply() {
    L0Half& half = halves_[next_multiply_ % 2];
    if (!half.ready) return;
    const auto found = std::find_if(folds_.begin(), folds_.end(), [](const Fold& fold) {
      return fold.slices_multiplied < fold.shape.cube.slices;
    });
    Fold& fold = *found;
    const FoldShape& shape = fold.shape;
    const Count slice = fold.slices_multiplied;
    const Count depth = fold.k_end(slice) - fold.k_begin(slice);
    if (fold.blocks_entered == 0 && at_.pass == 0) begin_sums(fold);
    if (++at_.pass < shape.interval) return;
    at_.pass = 0;
    block(fold, half, depth);
    // On to the next block.
    bool slice_done = false;
    if ((at_.col += params_.cols) >= shape.cols_used) {
      at_.col = 0;
      if ((at_.row += params_.rows) >= shape.rows_used) {
        at_.row = 0;
        slice_done = (at_.k += shape.cube.block_depth) >= depth;
      }
    }
    ++fold.blocks_entered;
    const bool last = slice_done && slice + 1 == shape.cube.slices;
    pipeline_.push_back({cycle_ + params_.cube->latency_cycles, last});
    if (last) hand_over(fold);
    if (!slice_done) return;
    at_ = {};
    half.used = half.ready = false;
    ++fold.slices_multiplied;
    ++next_multiply_;
  }

  void begin_sums(const Fold& fold) {
    if (fold.values == nullptr || !fold.shape.first) return;
    std::visit(
        [&](const auto& numbers) {
          auto& sums = sums_.emplace<std::decay_t<decltype(numbers)>>();
          sums.result.assign(fold.shape.rows_used * fold.shape.cols_used, {});
        },
        *fold.values);
  }

  void block(Fold& fold, const L0Half& half, Count depth) {
    const Count rows = fold.shape.rows_used, cols = fold.shape.cols_used;
    const Count row_end = std::min(at_.row + params_.rows, rows);
    const Count col_end = std::min(at_.col + params_.cols, cols);
    const Count k_end = std::min(at_.k + fold.shape.cube.block_depth, depth);
    fold.macs += (row_end - at_.row) * (col_end - at_.col) * (k_end - at_.k);
    if (fold.values == nullptr) return;
    std::visit(
        [&](const auto& operands) {
          using Operand = typename std::decay_t<decltype(operands.a)>::value_type;
          auto* numbers = std::get_if<FoldNumbers<Operand, Operand>>(&sums_);
          if (numbers == nullptr) {
            throw SimulationError("cube: a chain of folds mixes integers and floats");
          }
          auto& sums = numbers->result;
          for (Count r = at_.row; r < row_end; ++r) {
            for (Count c = at_.col; c < col_end; ++c) {
              for (Count k = at_.k; k < k_end; ++k) {
                auto& sum = sums[r * cols + c];
                sum = multiply_add(sum, operands.a[k * rows + r], operands.b[k * cols + c]);
              }
            }
          }
        },
        half.values);
  }

  /// The sums of a fold whose last block has entered; nobody looks at them before it is complete.
  void hand_over(const Fold& fold) {
    if (fold.values == nullptr || !fold.shape.last) return;
    std::visit(
        [&](auto& numbers) {
          numbers.result = std::move(std::get<std::decay_t<decltype(numbers)>>(sums_).result);
        },
        *fold.values);
  }

  void complete(const Fold& fold) {
    if (fold.macs != fold.shape.rows_used * fold.shape.cols_used * fold.shape.stream) {
      throw SimulationError("cube: the blocks of a fold are not all of its products");
    }
    macs_done_ += fold.macs;
    ++folds_done_;
    --filled_folds_;
    folds_.pop_front();
  }

  ArrayParams params_;
  Cycle cycle_ = 0;  ///< state is that at the start of this cycle
  std::deque<Fold> folds_;
  std::size_t filled_folds_ = 0;  ///< of folds_, whose operands have left L1
  std::array<L0Half, 2> halves_;
  Count next_fill_ = 0, next_multiply_ = 0;  ///< slices
  std::optional<Cycle> filled_for_;          ///< cycles, while a half is being filled
  Position at_;
  std::deque<InPipeline> pipeline_;
  FoldChain chain_;
  FoldValues sums_;  ///< in L0C; only `result` is used
  Count folds_done_ = 0, macs_done_ = 0;
};

}  // namespace

std::unique_ptr<ArrayModel> make_block_cube(const ArrayParams& params) {
  return std::make_unique<BlockCube>(params);
}

}  // namespace tilewave
