// SPDX-License-Identifier: Apache-2.0
// Cycles of ideal machines: by hand, and SCALE-Sim's whole table.
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/scale_sim_table.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("ideal folds: cycles by hand") {
  struct Case {
    const char* dataflow;
    Count rows, cols, m, n, k;
    Cycle expected;
    const char* why;
  };
  const Case c = GENERATE(values<Case>({
      {"output_stationary", 2, 2, 2, 2, 2, 4, "K + R + C - 2"},
      {"output_stationary", 4, 4, 4, 4, 4, 10, "K + R + C - 2"},
      {"weight_stationary", 4, 4, 4, 4, 4, 14, "M + 2R + C - 2"},
      {"input_stationary", 4, 4, 4, 4, 4, 14, "N + 2R + C - 2"},
      {"output_stationary", 4, 4, 5, 4, 4, 20, "two folds, the second with one row"},
      {"weight_stationary", 1, 8, 3, 16, 5, 110, "5 x 2 folds of 3 + 2 + 8 - 2"},
      {"weight_stationary", 8, 1, 3, 2, 8, 36, "2 folds of 3 + 16 + 1 - 2"},
  }));
  INFO(c.why);
  CHECK(cycles(ideal_machine(c.rows, c.cols, c.dataflow), gemm_workload(c.m, c.n, c.k)) ==
        c.expected);
}

TEST_CASE("SCALE-Sim v2: every row of its table, plus the cycle it drops") {
  const auto rows = scale_sim_table();
  REQUIRE(rows.size() == 220);
  for (const ScaleSimRow& row : rows) {
    Workload workload = gemm_workload(row.m, row.n, row.k);
    if (row.is_conv) {
      Conv2d conv;
      conv.c = row.channels, conv.h = row.input_h, conv.w = row.input_w;
      conv.k = row.filters, conv.r = row.filter_h, conv.s = row.filter_w;
      conv.stride = {row.stride_h, row.stride_w};
      conv.ceil_output = true;
      workload.ops[0].shape = conv;
    }
    INFO("line " << row.line);
    // The preset with the row's array.
    const std::string family = row.dataflow == "output_stationary"   ? "scale_sim_8_os"
                               : row.dataflow == "weight_stationary" ? "scale_sim_8_ws"
                                                                     : "scale_sim_8_is";
    const std::vector<std::string> sets{fmt::format("core.matrix_unit.rows={}", row.rows),
                                        fmt::format("core.matrix_unit.cols={}", row.cols)};
    RunRequest request;
    request.arch = resolve_preset(family, sets);
    request.workload = workload;
    const Json report = simulate(request).report;
    CHECK(report["total"]["cycles"].get<Cycle>() == row.compute_cycle_index + 1);
    CHECK(report["total"]["macs"].get<Count>() == row.m * row.n * row.k);
  }
}
