// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/matrix/array_params.hpp"

namespace tilewave {

/// The closed forms of the array's timing (contract: array_model.hpp), stated here and nowhere
/// else. The PE-by-PE variant does not use them: the tests compare it against them.

/// What the rules have to know of the folds begun so far. Zeros: an array that has done nothing.
struct FoldHistory {
  bool loaded = false;     ///< a fold's load has begun and its stream has not
  Cycle load_end = 0;      ///< of the last load
  Cycle stream_begin = 0;  ///< of the last stream
  Cycle stream_end = 0;    ///< of the last stream
  Cycle completion = 0;    ///< latest of all folds
  Cycle drain_free = 0;    ///< OS, shift: first cycle in which PE (0,0) may capture a result again
};

/// First cycle after a load that began at `begin`.
[[nodiscard]] Cycle load_end(Cycle begin, const FoldShape& shape);
/// Cycle in which the last vector of a stream that began at `begin` enters.
[[nodiscard]] Cycle last_entry(Cycle begin, const FoldShape& shape);
/// First cycle in which the entry is free after a stream that began at `begin`.
[[nodiscard]] Cycle stream_end(Cycle begin, const FoldShape& shape);
/// First cycle in which all results of a fold whose stream began at `begin` have left the array and
/// its entry is free.
[[nodiscard]] Cycle completion(const ArrayParams& params, Cycle begin, const FoldShape& shape);

/// First cycle in which the next load may begin; kNever while only a stream can change that.
[[nodiscard]] Cycle earliest_load(const ArrayParams& params, const FoldHistory& history);
/// First cycle in which the next fold, of this shape, may begin to stream; kNever if it needs a
/// load that has not begun.
[[nodiscard]] Cycle earliest_stream(const ArrayParams& params, const FoldHistory& history,
                                    const FoldShape& shape);

/// Enter a load or a stream that begins in cycle `begin` into the history.
void record_load(FoldHistory& history, Cycle begin, const FoldShape& shape);
void record_stream(const ArrayParams& params, FoldHistory& history, Cycle begin,
                   const FoldShape& shape);

}  // namespace tilewave
