// SPDX-License-Identifier: Apache-2.0
#include "arch/matrix/fold_timing.hpp"

#include <algorithm>

namespace tilewave {
namespace {

bool is_output_stationary(const ArrayParams& params) {
  return params.dataflow == Dataflow::output_stationary;
}

bool shifts_out(const ArrayParams& params, const FoldShape& shape) {
  return is_output_stationary(params) && shape.last && params.output_drain == OutputDrain::shift;
}

}  // namespace

Cycle load_end(Cycle begin, const FoldShape& shape) { return begin + shape.load_cycles; }

Cycle last_entry(Cycle begin, const FoldShape& shape) {
  return begin + (shape.stream - 1) * shape.interval;
}

Cycle stream_end(Cycle begin, const FoldShape& shape) {
  return begin + shape.stream * shape.interval;
}

Cycle completion(const ArrayParams& params, Cycle begin, const FoldShape& shape) {
  // The last vector crosses R + C - 1 diagonals; a shifted result then takes R steps down.
  const Count crossed = params.rows + params.cols - 1;
  const Count hops = shifts_out(params, shape) ? crossed + params.rows : crossed;
  const Cycle left = last_entry(begin, shape) + ceil_div(hops, params.hops_per_cycle);
  return std::max(left, stream_end(begin, shape));
}

Cycle earliest_load(const ArrayParams& params, const FoldHistory& history) {
  if (is_output_stationary(params) || history.loaded) {
    return kNever;
  }
  Cycle registers_free = history.completion;
  if (params.weight_double_buffer) {
    registers_free = history.stream_begin;
  } else if (params.fold_overlap) {
    registers_free = history.stream_end;
  }
  return std::max(history.load_end, registers_free);
}

Cycle earliest_stream(const ArrayParams& params, const FoldHistory& history,
                      const FoldShape& shape) {
  const bool os = is_output_stationary(params);
  if (!os && !history.loaded) {
    return kNever;
  }
  const bool may_follow = params.fold_overlap || (os && !shape.first);
  Cycle earliest = may_follow ? history.stream_end : history.completion;
  if (!os) {
    earliest = std::max(earliest, history.load_end);
  }
  if (shifts_out(params, shape)) {
    // PE (0,0) captures in the cycle of the last vector: begin + lead >= drain_free.
    const Cycle lead = last_entry(0, shape);
    earliest = std::max(earliest, history.drain_free > lead ? history.drain_free - lead : 0);
  }
  return earliest;
}

void record_load(FoldHistory& history, Cycle begin, const FoldShape& shape) {
  history.loaded = true;
  history.load_end = load_end(begin, shape);
}

void record_stream(const ArrayParams& params, FoldHistory& history, Cycle begin,
                   const FoldShape& shape) {
  history.loaded = false;
  history.stream_begin = begin;
  history.stream_end = stream_end(begin, shape);
  history.completion = std::max(history.completion, completion(params, begin, shape));
  if (shifts_out(params, shape)) {
    // Captured in the cycle of the last vector, held until the column's bottom has its result
    // R - 1 hops later, moved on in the one after.
    history.drain_free = last_entry(begin, shape) + ceil_div(params.rows, params.hops_per_cycle);
  }
}

}  // namespace tilewave
