// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>

#include "arch/matrix/array_model.hpp"
#include "arch/matrix/fold_checks.hpp"
#include "arch/matrix/fold_product.hpp"
#include "arch/matrix/fold_timing.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// The systolic array fold by fold: all times come from the closed forms of fold_timing.hpp, values
/// from one product a fold, done when its stream begins. Work and storage are constant a fold;
/// folds are kept until they are complete, never more than fit in the pipeline.
class FoldArray final : public ArrayModel {
 public:
  explicit FoldArray(const ArrayParams& params) : params_(params) { check_array(params); }

  void advance(Cycle now) override {
    if (load_open_ && history_.load_end <= now) {
      load_open_ = false;
      ++loads_done_;
    }
    if (stream_open_ && history_.stream_end <= now) {
      stream_open_ = false;
      ++streams_done_;
    }
    while (!in_flight_.empty() && in_flight_.front().completion <= now) {
      ++folds_done_;
      macs_done_ += in_flight_.front().macs;
      in_flight_.pop_front();
    }
  }

  [[nodiscard]] Cycle next_event(Cycle now) const override {
    Cycle next = kNever;
    const auto consider = [&](Cycle cycle) {
      if (cycle > now) next = std::min(next, cycle);
    };
    if (load_open_) consider(history_.load_end);
    if (stream_open_) consider(history_.stream_end);
    if (!in_flight_.empty()) consider(in_flight_.front().completion);
    if (refused_until_) consider(*refused_until_);
    return next;
  }

  [[nodiscard]] bool can_load(Cycle now) const override {
    return earliest_load(params_, history_) <= now;
  }

  void start_load(Cycle now, const FoldShape& shape, FoldValues* values) override {
    advance(now);
    if (!can_load(now)) throw SimulationError("systolic array: a load begins too early");
    check_shape(params_, shape);
    if (values != nullptr) check_values(params_, shape, *values);
    record_load(history_, now, shape);
    load_open_ = true;
    loaded_shape_ = shape;
    loaded_values_ = values;
  }

  [[nodiscard]] bool loading(Cycle now) const override {
    return load_open_ && now < history_.load_end;
  }

  [[nodiscard]] bool can_stream(Cycle now, const FoldShape& shape) const override {
    const Cycle earliest = earliest_stream(params_, history_, shape);
    // Only the caller knows the shape of the next fold, so its wake-up is worked out here.
    refused_until_ = earliest > now && earliest != kNever ? std::optional(earliest) : std::nullopt;
    return earliest <= now;
  }

  void start_stream(Cycle now, const FoldShape& shape, FoldValues* values) override {
    advance(now);
    if (!can_stream(now, shape)) throw SimulationError("systolic array: a stream begins too early");
    check_shape(params_, shape);
    if (params_.dataflow == Dataflow::output_stationary) {
      chain_.enter(params_, shape, values);
      if (values != nullptr) product_.accumulate(shape, *values);
    } else {
      check_loaded(loaded_shape_, shape);
      if (loaded_values_ != nullptr) FoldProduct::multiply_stationary(shape, *loaded_values_);
    }
    record_stream(params_, history_, now, shape);
    stream_open_ = true;
    in_flight_.push_back(
        {completion(params_, now, shape), shape.rows_used * shape.cols_used * shape.stream});
  }

  [[nodiscard]] bool streaming(Cycle now) const override {
    return stream_open_ && now < history_.stream_end;
  }
  [[nodiscard]] bool in_flight(Cycle now) const override { return now < history_.completion; }

  [[nodiscard]] Count loads_done() const override { return loads_done_; }
  [[nodiscard]] Count streams_done() const override { return streams_done_; }
  [[nodiscard]] Count folds_done() const override { return folds_done_; }
  [[nodiscard]] Count macs_done() const override { return macs_done_; }

 private:
  struct Fold {
    Cycle completion;
    Count macs;
  };

  ArrayParams params_;
  FoldHistory history_;
  bool load_open_ = false;    ///< history_.load_end is still to be counted
  bool stream_open_ = false;  ///< history_.stream_end is still to be counted
  FoldShape loaded_shape_;    ///< WS, IS: the last fold whose load has begun
  FoldValues* loaded_values_ = nullptr;
  FoldChain chain_;  ///< OS
  FoldProduct product_;
  std::deque<Fold> in_flight_;  ///< in the order begun
  Count loads_done_ = 0;
  Count streams_done_ = 0;
  Count folds_done_ = 0;
  Count macs_done_ = 0;
  /// When can_stream() will say yes to the shape it last refused.
  mutable std::optional<Cycle> refused_until_;
};

}  // namespace

std::unique_ptr<ArrayModel> make_fold_array(const ArrayParams& params) {
  if (params.cube) return make_fold_cube(params);
  return std::make_unique<FoldArray>(params);
}

}  // namespace tilewave
