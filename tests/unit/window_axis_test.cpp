// SPDX-License-Identifier: Apache-2.0
// Touched positions of a window's axis as runs, and taps on the input, against listing them.
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"

#include "workloads/ops/window.hpp"

namespace tilewave::test {
namespace {

TEST_CASE("touched runs are the positions under some tap", "[ops]") {
  std::mt19937_64 random(1);
  const auto pick = [&](Count low, Count high) {
    return std::uniform_int_distribution<Count>(low, high)(random);
  };
  int gaps = 0;
  for (int i = 0; i < 5000; ++i) {
    WindowAxis axis;
    axis.filter = pick(1, 4);
    axis.stride = pick(1, 6);
    axis.dilation = pick(1, 4);
    axis.padding = pick(0, 3);
    axis.input = pick(1, 30);
    axis.ceil_output = pick(0, 3) == 0;
    if (!axis.fits()) continue;
    std::set<Count> positions;
    Count taps = 0;
    for (Count o = 0; o < axis.outputs(); ++o) {
      for (Count t = 0; t < axis.filter; ++t) {
        const Count at = o * axis.stride + t * axis.dilation;
        if (at < axis.padding || at - axis.padding >= axis.input) continue;
        positions.insert(at - axis.padding);
        ++taps;
      }
    }
    INFO("input " << axis.input << ", filter " << axis.filter << ", stride " << axis.stride
                  << ", dilation " << axis.dilation << ", padding " << axis.padding);
    std::vector<Count> listed;
    Count end = 0;
    const auto runs = axis.touched_runs();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      REQUIRE(runs[r].begin < runs[r].end);
      if (r > 0) REQUIRE(runs[r].begin > end);  // else they would be one
      end = runs[r].end;
      for (Count x = runs[r].begin; x < end; ++x) listed.push_back(x);
    }
    REQUIRE(listed == std::vector<Count>(positions.begin(), positions.end()));
    REQUIRE(axis.touched() == positions.size());
    REQUIRE(axis.taps_on_input() == taps);
    if (runs.size() > 1) ++gaps;
  }
  CHECK(gaps > 500);
}

}  // namespace
}  // namespace tilewave::test
