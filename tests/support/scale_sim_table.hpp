// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/units.hpp"

namespace tilewave::test {

/// A row of tests/data/scale_sim_v2.csv, whose header says what each number is.
struct ScaleSimRow {
  int line = 0;
  std::string dataflow;  ///< "output_stationary", …
  Count rows = 0, cols = 0;
  bool is_conv = false;
  Count m = 0, n = 0, k = 0;
  Count input_h = 0, input_w = 0, filter_h = 0, filter_w = 0, channels = 0, filters = 0;
  Count stride_h = 0, stride_w = 0;
  bool user_bandwidth = false;
  Cycle compute_cycle_index = 0;  ///< of the last cycle: the count is one more
};
/// All 220. Throws if the file is not there or has other columns.
[[nodiscard]] std::vector<ScaleSimRow> scale_sim_table();

}  // namespace tilewave::test
