// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "arch/matrix/array_model.hpp"
#include "arch/matrix/fold_checks.hpp"
#include "arch/matrix/pe_datapath_set.hpp"
#include "arch/matrix/pe_fold.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// The systolic array PE by PE and cycle by cycle. Modelled: tokens and operands that move through
/// registers (pe_datapath.hpp); nothing here knows when a fold will be complete, it is complete
/// when its last token, or its last result, has left. What may begin when is decided from what the
/// array's edges and PE (0,0) show. Without values all operands are 1 and each result is checked to
/// be the number of its products. Cost: the PEs that hold a token; an empty array costs nothing.
class PeArray final : public ArrayModel {
 public:
  explicit PeArray(const ArrayParams& params)
      : params_(params), os_(params.dataflow == Dataflow::output_stationary), datapaths_(params) {
    check_array(params);
  }

  void advance(Cycle now) override {
    while (cycle_ < now && !idle()) {
      for (Count hop = 0; hop < params_.hops_per_cycle; ++hop) step();
      ++cycle_;
    }
    cycle_ = std::max(cycle_, now);
  }

  [[nodiscard]] Cycle next_event(Cycle now) const override { return idle() ? kNever : now + 1; }

  [[nodiscard]] bool can_load(Cycle /*now*/) const override {
    // `loaded_` lasts until the first vector enters: until then the registers the load ends in hold
    // what that fold needs. In the cycle in which it enters, PE (0,0) takes over its shadow
    // register, and row 0 of the next load may follow one hop behind it.
    if (os_ || load_path_ || loaded_) return false;
    if (params_.weight_double_buffer) return true;
    return params_.fold_overlap ? entering_ == nullptr : folds_.empty();
  }

  void start_load(Cycle now, const FoldShape& shape, FoldValues* values) override {
    advance(now);
    if (!can_load(now)) throw SimulationError("systolic array: a load begins too early");
    check_shape(params_, shape);
    if (values != nullptr) check_values(params_, shape, *values);
    loads_.push_back({in_hops(shape), values, datapaths_.prepare(values), {}});
    loaded_ = loads_.back();
    load_path_ = LoadPath{};
  }

  [[nodiscard]] bool loading(Cycle /*now*/) const override { return load_path_.has_value(); }

  [[nodiscard]] bool can_stream(Cycle /*now*/, const FoldShape& shape) const override {
    if (entering_ != nullptr) return false;
    if (!os_ && (!loaded_ || load_path_)) return false;
    const bool may_follow = params_.fold_overlap || (os_ && !shape.first);
    return (may_follow || folds_.empty()) && drain_registers_will_be_free(shape);
  }

  void start_stream(Cycle now, const FoldShape& shape, FoldValues* values) override {
    advance(now);
    if (!can_stream(now, shape)) throw SimulationError("systolic array: a stream begins too early");
    check_shape(params_, shape);
    PeFold fold;
    fold.shape = in_hops(shape);
    if (os_) {
      chain_.enter(params_, shape, values);
      const bool was_floating = sums_floating_;
      fold.values = values;
      fold.floating = sums_floating_ = datapaths_.prepare(values);
      if (!shape.first && fold.floating != was_floating) {
        throw SimulationError("systolic array: a chain of folds mixes integers and floats");
      }
      vectors_summed_ = shape.stream + (shape.first ? 0 : vectors_summed_);
      fold.vectors_summed = vectors_summed_;
    } else {
      check_loaded(loaded_->shape, shape);
      fold.values = loaded_->values;
      fold.floating = loaded_->floating;
      loaded_.reset();
    }
    size_result(fold);
    folds_.push_back(fold);
    entering_ = &folds_.back();
    until_next_vector_ = 0;
  }

  [[nodiscard]] bool streaming(Cycle /*now*/) const override { return entering_ != nullptr; }
  [[nodiscard]] bool in_flight(Cycle /*now*/) const override { return !folds_.empty(); }

  [[nodiscard]] Count loads_done() const override { return loads_done_; }
  [[nodiscard]] Count streams_done() const override { return streams_done_; }
  [[nodiscard]] Count folds_done() const override { return folds_done_; }
  [[nodiscard]] Count macs_done() const override { return macs_done_; }

 private:
  /// The path over which the youngest of loads_ comes in.
  struct LoadPath {
    Cycle hop = 0;  ///< of this load
    Count rows_entered = 0;
  };

  [[nodiscard]] bool idle() const { return folds_.empty() && loads_.empty(); }

  /// OS, shift: this fold's first result comes up at PE (0,0) with its last vector. The drain
  /// register there must be empty by then. The fold before fills it with its own last vector; it
  /// waits until that vector is in the bottom row, and moves on in the cycle after.
  [[nodiscard]] bool drain_registers_will_be_free(const FoldShape& shape) const {
    if (!os_ || params_.output_drain == OutputDrain::direct || !shape.last) return true;
    const auto drains = std::find_if(folds_.rbegin(), folds_.rend(),
                                     [](const PeFold& fold) { return fold.shape.last; });
    if (drains == folds_.rend() || !drains->last_vector_inside()) return true;
    const Count rows_to_go =
        params_.rows - std::min(params_.rows, static_cast<Count>(drains->tail()));
    return (shape.stream - 1) * shape.interval * params_.hops_per_cycle >= rows_to_go;
  }

  void size_result(const PeFold& fold) const {
    if (fold.values == nullptr || (os_ && !fold.shape.last)) return;
    const Count rows = os_ ? fold.shape.rows_used : fold.shape.stream;
    std::visit([&](auto& numbers) { numbers.result.assign(rows * fold.shape.cols_used, {}); },
               *fold.values);
  }

  /// The array's registers move once a hop: what a fold asks for, in hops.
  [[nodiscard]] FoldShape in_hops(FoldShape shape) const {
    shape.interval *= params_.hops_per_cycle;
    shape.load_cycles *= params_.hops_per_cycle;
    return shape;
  }

  /// One hop.
  void step() {
    enter_vector();
    enter_load_row();
    datapaths_.shift_results();
    for (PeFold& fold : folds_) datapaths_.of(fold.floating).multiply(fold);
    for (const PeLoad& load : loads_) datapaths_.of(load.floating).shift_load(load);
    end_cycle();
  }

  void enter_vector() {
    if (entering_ == nullptr) return;
    if (until_next_vector_ == 0) {
      datapaths_.of(entering_->floating).enter_vector(*entering_, entering_->entered);
      entering_->enter();
      until_next_vector_ = entering_->shape.interval;
    }
    --until_next_vector_;
    if (until_next_vector_ == 0 && entering_->entered == entering_->shape.stream) {
      entering_ = nullptr;
      ++streams_done_;
    }
  }

  void enter_load_row() {
    if (!load_path_) return;
    PeLoad& load = loads_.back();
    // The last row goes deepest and comes first. Over a path narrower than a row, rows are spread
    // evenly over the load's cycles.
    const Count entered = load_path_->rows_entered;
    if (entered < params_.rows &&
        load_path_->hop == entered * load.shape.load_cycles / params_.rows) {
      datapaths_.of(load.floating)
          .enter_load_row(load, static_cast<Index>(params_.rows - 1 - entered), next_slot_);
      load.pulses.push_back({static_cast<Index>(entered), 0, next_slot_});
      next_slot_ = (next_slot_ + 1) % load_skew_slots(params_);
      ++load_path_->rows_entered;
    }
    if (++load_path_->hop == load.shape.load_cycles) {
      load_path_.reset();
      ++loads_done_;
    }
  }

  void end_cycle() {
    const auto corner = static_cast<Index>(params_.rows + params_.cols - 2);
    for (PeFold& fold : folds_) fold.move(corner);
    for (PeLoad& load : loads_) load.move();
    datapaths_.end_cycle();
    while (!folds_.empty() && complete(folds_.front())) {
      ++folds_done_;
      macs_done_ += folds_.front().macs;
      folds_.pop_front();
    }
    while (!loads_.empty() && loads_.front().pulses.empty() &&
           !(load_path_ && loads_.size() == 1)) {
      loads_.pop_front();
    }
  }

  [[nodiscard]] bool complete(const PeFold& fold) const {
    const bool shifts = os_ && fold.shape.last && params_.output_drain == OutputDrain::shift;
    return fold.left == fold.shape.stream && &fold != entering_ && (fold.drained || !shifts);
  }

  ArrayParams params_;
  bool os_;
  Cycle cycle_ = 0;  ///< state is that at the start of this cycle
  PeDatapathSet datapaths_;
  std::deque<PeFold> folds_;           ///< streams begun and not complete, the oldest first
  std::deque<PeLoad> loads_;           ///< loads under way in the columns, the oldest first
  std::optional<LoadPath> load_path_;  ///< while a load occupies it
  std::optional<PeLoad> loaded_;       ///< the fold whose load has begun and whose stream has not
  Index next_slot_ = 0;
  PeFold* entering_ = nullptr;   ///< the fold whose vectors occupy the entry
  Cycle until_next_vector_ = 0;  ///< hops
  FoldChain chain_;              ///< OS
  bool sums_floating_ = false;   ///< OS: format of the last fold begun
  Count vectors_summed_ = 0;     ///< OS: in the sums of the last fold begun
  Count loads_done_ = 0;
  Count streams_done_ = 0;
  Count folds_done_ = 0;
  Count macs_done_ = 0;
};

}  // namespace

std::unique_ptr<ArrayModel> make_pe_array(const ArrayParams& params) {
  if (params.cube) return make_block_cube(params);
  return std::make_unique<PeArray>(params);
}

}  // namespace tilewave
