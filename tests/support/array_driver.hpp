// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/matrix/array_model.hpp"

namespace tilewave::test {

/// A fold and when its operands are there.
struct ArrayFold {
  FoldShape shape;
  Cycle stationary_at = 0;  ///< the load may begin from here on
  Cycle stream_at = 0;      ///< the stream may begin from here on
  std::optional<FoldValues> values;
};

/// When each thing happened to one fold; zeros for a load in OS.
struct FoldEvents {
  Cycle load_begin = 0;
  Cycle load_end = 0;
  Cycle stream_begin = 0;
  Cycle stream_end = 0;
  Cycle completion = 0;
  friend bool operator==(const FoldEvents&, const FoldEvents&) = default;
};

/// From `cycle` on, until the next entry.
struct ArrayStatus {
  Cycle cycle = 0;
  bool loading = false;
  bool streaming = false;
  bool in_flight = false;
  friend bool operator==(const ArrayStatus&, const ArrayStatus&) = default;
};

struct ArrayRun {
  std::vector<FoldEvents> folds;
  std::vector<ArrayStatus> status;
  Count macs = 0;
  Count wakeups = 0;
  friend bool operator==(const ArrayRun& a, const ArrayRun& b) {
    return a.folds == b.folds && a.status == b.status && a.macs == b.macs;
  }
};

/// Plays the sequencer: begins each load and each stream as early as the array and the operands
/// allow, waking only when the array or an operand says that something may have changed. Results
/// are written to the folds' values. Throws if nothing can ever happen again before all folds are
/// done.
ArrayRun drive_array(ArrayModel& array, const ArrayParams& params, std::vector<ArrayFold>& folds);

std::string to_string(const ArrayParams& params);
std::string to_string(const FoldShape& shape);
std::string to_string(const FoldEvents& events);

}  // namespace tilewave::test
