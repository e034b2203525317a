// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>

#include "arch/matrix/array_model.hpp"
#include "arch/matrix/cube/cube_timing.hpp"
#include "arch/matrix/fold_checks.hpp"
#include "arch/matrix/fold_product.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// The cube fold by fold: all times come from the closed forms of cube_timing.hpp, values from one
/// product a fold, done when it begins.
class FoldCube final : public ArrayModel {
 public:
  explicit FoldCube(const ArrayParams& params) : params_(params) { check_array(params); }

  void advance(Cycle now) override {
    while (streams_done_ - folds_done_ < folds_.size() &&
           folds_[streams_done_ - folds_done_].times.filled <= now) {
      ++streams_done_;
    }
    while (!folds_.empty() && folds_.front().times.completion <= now) {
      ++folds_done_;
      macs_done_ += folds_.front().macs;
      folds_.pop_front();
    }
  }

  [[nodiscard]] Cycle next_event(Cycle now) const override {
    Cycle next = kNever;
    const auto consider = [&](Cycle cycle) {
      if (cycle > now) next = std::min(next, cycle);
    };
    for (const Fold& fold : folds_) {
      consider(fold.times.filled);
      consider(fold.times.multiply_begin);
      consider(fold.times.multiply_end);
      consider(fold.times.completion);
    }
    if (refused_) consider(history_.fill_free);
    return next;
  }

  [[nodiscard]] bool can_load(Cycle /*now*/) const override { return false; }
  void start_load(Cycle /*now*/, const FoldShape& /*shape*/, FoldValues* /*values*/) override {
    throw SimulationError("cube: it holds no operand still");
  }
  /// Operands come, and none are multiplied meanwhile.
  [[nodiscard]] bool loading(Cycle now) const override {
    return !streaming(now) && std::any_of(folds_.begin(), folds_.end(), [&](const Fold& fold) {
      return now < fold.times.filled;
    });
  }

  [[nodiscard]] bool can_stream(Cycle now, const FoldShape& /*shape*/) const override {
    refused_ = history_.fill_free > now;
    return !refused_;
  }

  void start_stream(Cycle now, const FoldShape& shape, FoldValues* values) override {
    advance(now);
    if (!can_stream(now, shape)) throw SimulationError("cube: a fold begins too early");
    check_shape(params_, shape);
    chain_.enter(params_, shape, values);
    if (values != nullptr) product_.accumulate(shape, *values);
    folds_.push_back({enter_fold(params_, history_, now, shape),
                      shape.rows_used * shape.cols_used * shape.stream});
  }

  /// Blocks enter, or, within a fold, wait for their operands.
  [[nodiscard]] bool streaming(Cycle now) const override {
    return std::any_of(folds_.begin(), folds_.end(), [&](const Fold& fold) {
      return fold.times.multiply_begin <= now && now < fold.times.multiply_end;
    });
  }
  [[nodiscard]] bool in_flight(Cycle now) const override {
    return !folds_.empty() && now < folds_.back().times.completion;
  }

  [[nodiscard]] Count loads_done() const override { return 0; }
  [[nodiscard]] Count streams_done() const override { return streams_done_; }
  [[nodiscard]] Count folds_done() const override { return folds_done_; }
  [[nodiscard]] Count macs_done() const override { return macs_done_; }

 private:
  struct Fold {
    CubeTimes times;
    Count macs = 0;
  };

  ArrayParams params_;
  CubeHistory history_;
  std::deque<Fold> folds_;  ///< begun and not complete, in order
  FoldChain chain_;
  FoldProduct product_;
  Count streams_done_ = 0, folds_done_ = 0, macs_done_ = 0;
  mutable bool refused_ = false;
};

}  // namespace

std::unique_ptr<ArrayModel> make_fold_cube(const ArrayParams& params) {
  return std::make_unique<FoldCube>(params);
}

}  // namespace tilewave
