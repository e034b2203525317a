// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/steady_state.hpp"

#include "arch/matrix/cube/cube_timing.hpp"
#include "arch/matrix/fold_timing.hpp"

namespace tilewave {

Cycle steady_state_interval(const ArrayParams& params, const FoldShape& shape) {
  if (params.cube) return cube_interval(shape);
  // The rules look back one fold, so the interval is constant from the third fold on.
  constexpr int kFolds = 4;
  FoldHistory history;
  Cycle last = 0, interval = 0;
  for (int fold = 0; fold < kFolds; ++fold) {
    if (params.dataflow != Dataflow::output_stationary) {
      record_load(history, earliest_load(params, history), shape);
    }
    const Cycle begin = earliest_stream(params, history, shape);
    record_stream(params, history, begin, shape);
    interval = begin - last;
    last = begin;
  }
  return interval;
}

}  // namespace tilewave
