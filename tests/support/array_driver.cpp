// SPDX-License-Identifier: Apache-2.0
#include "support/array_driver.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tilewave::test {
namespace {

class Sequencer {
 public:
  static constexpr Count kMaxWakeups = 1000000;

  Sequencer(ArrayModel& array, const ArrayParams& params, std::vector<ArrayFold>& folds)
      : array_(array), params_(params), folds_(folds) {
    run_.folds.resize(folds.size());
  }

  ArrayRun run() {
    for (;;) {
      array_.advance(now_);
      observe();
      while (begin_stream() || begin_load()) {
      }
      record_status();
      ++run_.wakeups;
      if (completed_ == folds_.size()) break;
      const Cycle next = next_wakeup();
      if (next == kNever || run_.wakeups > kMaxWakeups) {
        throw std::runtime_error("the array is stuck");
      }
      if (next <= now_) throw std::runtime_error("next_event() is not in the future");
      now_ = next;
    }
    run_.macs = array_.macs_done();
    return std::move(run_);
  }

 private:
  [[nodiscard]] bool has_loads() const { return params_.dataflow != Dataflow::output_stationary; }

  void observe() {
    while (loads_ended_ < array_.loads_done()) run_.folds[loads_ended_++].load_end = now_;
    while (streams_ended_ < array_.streams_done()) run_.folds[streams_ended_++].stream_end = now_;
    while (completed_ < array_.folds_done()) run_.folds[completed_++].completion = now_;
  }

  bool begin_stream() {
    if (streams_ == folds_.size() || (has_loads() && streams_ == loads_)) return false;
    ArrayFold& fold = folds_[streams_];
    if (fold.stream_at > now_ || !array_.can_stream(now_, fold.shape)) return false;
    array_.start_stream(now_, fold.shape, values_of(fold));
    run_.folds[streams_++].stream_begin = now_;
    return true;
  }

  bool begin_load() {
    if (!has_loads() || loads_ == folds_.size()) return false;
    ArrayFold& fold = folds_[loads_];
    if (fold.stationary_at > now_ || !array_.can_load(now_)) return false;
    array_.start_load(now_, fold.shape, values_of(fold));
    run_.folds[loads_++].load_begin = now_;
    return true;
  }

  void record_status() {
    const ArrayStatus status{now_, array_.loading(now_), array_.streaming(now_),
                             array_.in_flight(now_)};
    if (!run_.status.empty()) {
      ArrayStatus same = run_.status.back();
      same.cycle = now_;
      if (same == status) return;
    }
    run_.status.push_back(status);
  }

  [[nodiscard]] Cycle next_wakeup() const {
    Cycle next = array_.next_event(now_);
    const auto consider = [&](Cycle cycle) {
      if (cycle > now_) next = std::min(next, cycle);
    };
    if (has_loads() && loads_ < folds_.size()) consider(folds_[loads_].stationary_at);
    if (streams_ < folds_.size()) consider(folds_[streams_].stream_at);
    return next;
  }

  static FoldValues* values_of(ArrayFold& fold) { return fold.values ? &*fold.values : nullptr; }

  ArrayModel& array_;
  const ArrayParams& params_;
  std::vector<ArrayFold>& folds_;
  Cycle now_ = 0;
  std::size_t loads_ = 0, streams_ = 0;
  std::size_t loads_ended_ = 0, streams_ended_ = 0, completed_ = 0;
  ArrayRun run_;
};

}  // namespace

ArrayRun drive_array(ArrayModel& array, const ArrayParams& params, std::vector<ArrayFold>& folds) {
  return Sequencer(array, params, folds).run();
}

std::string to_string(const ArrayParams& params) {
  std::ostringstream out;
  out << params.rows << "x" << params.cols << " " << tilewave::to_string(params.dataflow)
      << " double_buffer=" << params.weight_double_buffer << " overlap=" << params.fold_overlap
      << " drain=" << tilewave::to_string(params.output_drain) << " hops=" << params.hops_per_cycle;
  return out.str();
}

std::string to_string(const FoldShape& shape) {
  std::ostringstream out;
  out << "used " << shape.rows_used << "x" << shape.cols_used << " stream " << shape.stream
      << " interval " << shape.interval << " load " << shape.load_cycles << " first " << shape.first
      << " last " << shape.last;
  return out.str();
}

std::string to_string(const FoldEvents& events) {
  std::ostringstream out;
  out << "load [" << events.load_begin << ", " << events.load_end << ") stream ["
      << events.stream_begin << ", " << events.stream_end << ") complete " << events.completion;
  return out.str();
}

}  // namespace tilewave::test
