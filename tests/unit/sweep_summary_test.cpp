// SPDX-License-Identifier: Apache-2.0
// What a sweep's results say: best points, Pareto front, what each parameter explains; and the page of it.
#include "app/sweep/sweep_summary.hpp"

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include "app/cli/sweep_csv.hpp"
#include "app/cli/sweep_progress.hpp"
#include "app/cli/sweep_table.hpp"
#include "app/cli/text.hpp"
#include "app/sweep/sample_table.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

SweepPlan plan() {
  Diagnostics diagnostics;
  const auto json = Json::parse(R"({"name": "grid", "arch": "a", "workload": "w",
      "parameters": {"core.rows": [1, 2, 4], "flow": ["x", "y"], "fixed": [7]},
      "objectives": ["total.cycles", {"value": "total.utilization", "goal": "max"}]})");
  auto sweep = read_sweep(json, "s.json", "", diagnostics);
  diagnostics.throw_if_errors();
  return SweepPlan(std::move(*sweep));
}

/// cycles = 64 / rows^2 (flow has no effect), utilization = 1 / rows; point 5 fails.
void fill(const SweepPlan& plan, SweepStore& store) {
  for (std::uint64_t i = 0; i < plan.candidates(); ++i) {
    const SweepPoint point = *plan.point(i);
    if (i == 5) {
      store.put(failed_point(point, "broken, \"badly\""));
      continue;
    }
    const int rows = point.parameters.at("core.rows").get<int>();
    const int cycles = 64 / (rows * rows);
    store.put({.number = i,
               .parameters = point.parameters,
               .key = "k" + std::to_string(i),
               .objectives = {{"total.cycles", cycles}, {"total.utilization", 1.0 / rows}},
               .total = {{"cycles", cycles}, {"parts", {{"wait", 3}}}},
               .report = {},
               .warnings = {},
               .error = {}});
  }
}

}  // namespace

TEST_CASE("the front is what nothing is better than") {
  CHECK(pareto_front({{1, 2, 3, 4}, {4, 3, 3, 1}}) == std::vector<std::uint32_t>{0, 1, 3});
  CHECK(pareto_front({{2, 1, 2}, {1, 2, 1}}) == std::vector<std::uint32_t>{1, 0, 2});
  CHECK(pareto_front({{1, 1}, {2, 1}}) == std::vector<std::uint32_t>{1});
  CHECK(pareto_front({{1, 2, 3}, {3, 2, 1}, {1, 1, 1}}) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(pareto_front({{1, 2, 2}, {1, 1, 2}, {1, 0, 1}}) == std::vector<std::uint32_t>{0, 1});
  CHECK(pareto_front({}).empty());
}

TEST_CASE("many numbers share groups, words and few numbers do not") {
  SampleColumn many, few;
  for (int i = 0; i < 80; ++i) {
    many.add(79 - i);
    few.add(i % 2 == 0 ? Json("b") : Json("a"));
  }
  const SampleGroups eight = grouped(many);
  REQUIRE(eight.names.size() == 8);
  CHECK(eight.names.front() == "0 .. 9");
  CHECK(eight.group[79] == 0);
  CHECK(eight.group[0] == 7);
  const SampleGroups two = grouped(few);
  CHECK(two.names == std::vector<std::string>{"b", "a"});
  SampleColumn mixed;
  for (const Json& value : {Json(1), Json("x"), Json(1)}) mixed.add(value);
  CHECK(grouped(mixed).names == std::vector<std::string>{"1", "x"});
  CHECK(grouped(mixed).group == std::vector<std::uint32_t>{0, 1, 0});
}

TEST_CASE("a summary names the best points and what they depend on") {
  const TemporaryFolder folder("sweep_summary");
  const SweepPlan grid = plan();
  SweepStore store(folder.file("out"), {.hash = "h", .name = "grid", .definition = "{}"}, false);
  fill(grid, store);
  const SweepSummary summary = summarize(grid, store, 2);
  CHECK(summary.points == 5);
  CHECK(summary.failed == 1);
  REQUIRE(summary.failures.size() == 1);
  CHECK(summary.failures.front().point == 5);
  REQUIRE(summary.objectives.size() == 2);
  const auto& cycles = summary.objectives[0];
  REQUIRE(cycles.best.size() == 2);
  CHECK(cycles.best[0].point == 4);
  CHECK(cycles.best[1].point == 2);  // of two equal ones the first
  REQUIRE(cycles.sensitivities.size() == 2);
  CHECK(cycles.sensitivities[0].path == "core.rows");
  CHECK(cycles.sensitivities[0].share == Approx(1.0));
  CHECK(cycles.sensitivities[0].best_at == "4");
  CHECK(cycles.sensitivities[0].best_mean == Approx(4.0));
  CHECK(cycles.sensitivities[0].worst_at == "1");
  CHECK(cycles.sensitivities[0].worst_mean == Approx(64.0));
  // By hand: log2 of cycles is 6 6 4 4 2, its mean 4.4 and squares 11.2; flow x has 6 4 2, y 6 4.
  CHECK(cycles.sensitivities[1].share == Approx((3 * 0.4 * 0.4 + 2 * 0.6 * 0.6) / 11.2));
  CHECK(summary.objectives[1].best.front().point == 0);
  // More utilization is better: every number of rows is a trade-off.
  CHECK(summary.pareto_points == 5);
  CHECK(summary.pareto.size() == 2);
}

TEST_CASE("the page and the table of a sweep") {
  const TemporaryFolder folder("sweep_summary");
  const SweepPlan grid = plan();
  SweepStore store(folder.file("out"), {.hash = "h", .name = "grid", .definition = "{}"}, false);
  fill(grid, store);
  const SweepCounts counts{
      .points = 6, .left_out = 0, .kept = 0, .reused = 0, .ran = 6, .failed = 1};
  const std::string page = sweep_table(grid.sweep(), counts, summarize(grid, store, 2), 80);
  CHECK_THAT(page, contains("grid: 6 points, 1 failed\n"));
  CHECK_THAT(page, contains("best for total.cycles (less is better)\n"
                            "point  cycles  utilization  parameters\n"
                            "    4   4.000       25.0 %  rows 4, flow x\n"));
  CHECK_THAT(page, contains("best for total.utilization (more is better)\n"));
  CHECK_THAT(page, contains("  100.0 %  rows"));
  CHECK_THAT(page, contains("Pareto front of total.cycles, total.utilization: 5 points\n"));
  CHECK_THAT(page, contains("... and 3 more\n"));
  for (const std::size_t columns : {40U, 60U}) {
    const std::string narrow =
        sweep_table(grid.sweep(), counts, summarize(grid, store, 2), columns);
    std::size_t at = 0;
    while (at < narrow.size()) {
      const std::size_t end = narrow.find('\n', at);
      CHECK(width_of(std::string_view(narrow).substr(at, end - at)) <= columns);
      at = end + 1;
    }
  }
  std::string csv;
  write_sweep_csv(grid, store, [&](std::string_view part) { csv += part; });
  CHECK_THAT(
      csv, Catch::Matchers::StartsWith(
               "point,core.rows,flow,fixed,total.utilization,total.cycles,total.parts.wait,error\n"
               "0,1,x,7,1.0,64,3,\n"));
  CHECK_THAT(csv, contains("5,4,y,7,,,,\"broken, \"\"badly\"\"\"\n"));
}

TEST_CASE("names are as short as they may be") {
  CHECK(short_names({"core.matrix_unit.rows", "workload.batch"}) ==
        std::vector<std::string>{"rows", "batch"});
  CHECK(short_names({"a.x.rows", "a.y.rows", "cores"}) ==
        std::vector<std::string>{"x.rows", "y.rows", "cores"});
  CHECK(short_names({"rows", "core.rows"}) == std::vector<std::string>{"rows", "core.rows"});
  CHECK(short_names({"total.time_s / 2.5"}) == std::vector<std::string>{"total.time_s / 2.5"});
}

TEST_CASE("progress says rate and time left, as far as there is room") {
  const SweepCounts counts{
      .points = 100, .left_out = 0, .kept = 20, .reused = 0, .ran = 20, .failed = 2};
  CHECK(sweep_progress_text(counts, 2.0, 100) ==
        "[########............]   40 %  40 of 100 points  10 points/s  0:06 left  2 failed");
  CHECK(sweep_progress_text(counts, 2.0, 30) == " 40 %  40 of 100 points");
  CHECK(sweep_progress_text({.points = 10}, 0, 100) ==
        "[....................]    0 %  0 of 10 points");
}
