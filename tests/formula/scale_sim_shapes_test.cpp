// SPDX-License-Identifier: Apache-2.0
// SCALE-Sim's own layers, written as its topology files and imported: the product each becomes must
// be the one SCALE-Sim runs.
#include <fmt/format.h>

#include "support/catch.hpp"
#include "support/scale_sim_table.hpp"

#include "workloads/import/scale_sim_csv.hpp"
#include "workloads/ops/conv2d.hpp"

using namespace tilewave;

TEST_CASE("Imported layers have SCALE-Sim's M, N and K", "[scale_sim]") {
  int rounded_up = 0;
  for (const test::ScaleSimRow& row : test::scale_sim_table()) {
    CAPTURE(row.line);
    const std::string text =
        row.is_conv ? fmt::format(
                          "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, "
                          "Channels, Num Filter, Stride Height, Stride Width,\nL,{},{},{},{},{},{},"
                          "{},{},\n",
                          row.input_h, row.input_w, row.filter_h, row.filter_w, row.channels,
                          row.filters, row.stride_h, row.stride_w)
                    : fmt::format("Layer, M, N, K,\nL,{},{},{},\n", row.m, row.n, row.k);
    Diagnostics diagnostics;
    const Workload w =
        import_scale_sim_csv(text, "L.csv", "L", {.ceil = true, .batch = {}}, diagnostics);
    REQUIRE(diagnostics.ok());
    CHECK(diagnostics.warnings().empty());
    REQUIRE(w.ops.size() == 1);
    const OpFacts f = facts(w.ops[0]);
    CHECK(f.macs == row.m * row.n * row.k);
    CHECK(f.output_elements == row.m * row.n);
    CHECK(f.weight_elements == row.n * row.k);
    if (row.is_conv) {
      const auto& conv = std::get<Conv2d>(w.ops[0].shape);
      const OutputSize out = conv_output(conv);
      CHECK(out.h * out.w == row.m);
      CHECK(conv.c * conv.r * conv.s == row.k);
      Conv2d down = conv;
      down.ceil_output = false;
      if (conv_output(down).h != out.h) ++rounded_up;
    } else {
      CHECK(std::get<Gemm>(w.ops[0].shape) == Gemm{.m = row.m, .n = row.n, .k = row.k});
    }
  }
  // The table has layers where the rounding matters.
  CHECK(rounded_up > 0);
}
