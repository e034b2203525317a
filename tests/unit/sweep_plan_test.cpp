// SPDX-License-Identifier: Apache-2.0
// From a sweep to its points: grid, zip, random, Latin hypercube, expressions, constraints.
#include "app/sweep/sweep_plan.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/catch.hpp"

#include "app/sweep/random_draw.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

SweepPlan plan(const std::string& part) {
  Diagnostics diagnostics;
  const auto json = Json::parse(R"({"arch": "a", "workload": "w", )" + part + "}");
  auto sweep = read_sweep(json, "s.json", "/folder", diagnostics);
  diagnostics.throw_if_errors();
  return SweepPlan(std::move(*sweep));
}

std::string points(const SweepPlan& plan) {
  std::string all;
  for (std::uint64_t i = 0; i < plan.candidates(); ++i) {
    const auto point = plan.point(i);
    if (!point) continue;
    all += std::to_string(point->number) + ":";
    for (const auto& [path, value] : point->parameters.items())
      all += path + "=" + value.dump() + ",";
    all += point->error + " ";
  }
  return all;
}

}  // namespace

TEST_CASE("a grid runs its last parameter fastest") {
  CHECK(points(plan(R"("parameters": {"x": [1, 2], "y": ["a", "b"], "z": "=x * 2"})")) ==
        "0:x=1,y=\"a\",z=2, 1:x=1,y=\"b\",z=2, 2:x=2,y=\"a\",z=4, 3:x=2,y=\"b\",z=4, ");
  CHECK(points(plan(R"("parameters": {})")) == "0: ");
}

TEST_CASE("zip goes side by side, one value stays") {
  CHECK(points(plan(R"("mode": "zip", "parameters": {"x": [1, 2], "y": [3], "z": [5, 6]})")) ==
        "0:x=1,y=3,z=5, 1:x=2,y=3,z=6, ");
}

TEST_CASE("expressions may follow from expressions, in any order") {
  CHECK(points(plan(R"("parameters": {"z": "=y + 1", "y": "=x + 1", "x": [1]})")) ==
        "0:z=3,y=2,x=1, ");
}

TEST_CASE("constraints leave points out and keep the numbers of the others") {
  CHECK(points(plan(
            R"("parameters": {"x": [1, 2, 3], "y": [1, 2]}, "constraints": ["x * y <= 2"])")) ==
        "0:x=1,y=1, 1:x=1,y=2, 2:x=2,y=1, ");
}

TEST_CASE("a point whose expression has no value carries the error") {
  CHECK(points(plan(R"("parameters": {"x": [0, 1], "y": "=1 / x"})")) ==
        "0:x=0,y=null,y: division by zero 1:x=1,y=1, ");
  CHECK_THAT(points(plan(R"("parameters": {"x": ["a"]}, "constraints": ["x < 2"])")),
             contains("x < 2: < cannot compare"));
}

TEST_CASE("a grid too large for anything is refused at once") {
  std::string parameters;
  for (int i = 0; i < 10; ++i) {
    parameters += (i > 0 ? "," : "") + ("\"p" + std::to_string(i)) + "\": {\"range\": [1, 1000]}";
  }
  CHECK_THROWS_AS(plan("\"parameters\": {" + parameters + "}"), ConfigError);
}

TEST_CASE("random points depend on seed and number alone") {
  const std::string part = R"("mode": "random", "samples": 50, "parameters": {
      "x": {"range": [1, 10]}, "y": {"range": [0.5, 2.0], "continuous": true}})";
  const SweepPlan first = plan(part), second = plan(part);
  CHECK(points(first) == points(second));
  CHECK(points(first) != points(plan(part + R"(, "seed": 2)")));
  CHECK(first.point(17)->parameters == second.point(17)->parameters);
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Json parameters = first.point(i)->parameters;
    seen.insert(parameters["x"].get<std::int64_t>());
    CHECK(parameters["y"].get<double>() >= 0.5);
    CHECK(parameters["y"].get<double>() <= 2.0);
  }
  CHECK(seen.size() > 7);
  CHECK(*seen.begin() >= 1);
  CHECK(*seen.rbegin() <= 10);
}

TEST_CASE("a Latin hypercube visits each stratum once") {
  constexpr std::uint64_t kSamples = 64;
  const SweepPlan lhs = plan(R"("mode": "latin_hypercube", "samples": 64, "parameters": {
      "x": {"range": [0.0, 1.0], "continuous": true},
      "y": {"range": [1.0, 1024.0], "continuous": true, "scale": "log2"}, "z": [1, 2, 3, 4]})");
  std::set<int> x, y;
  std::map<int, int> z;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const Json parameters = lhs.point(i)->parameters;
    x.insert(static_cast<int>(parameters["x"].get<double>() * kSamples));
    y.insert(static_cast<int>(std::log2(parameters["y"].get<double>()) / 10 * kSamples));
    ++z[parameters["z"].get<int>()];
  }
  CHECK(x.size() == kSamples);
  CHECK(y.size() == kSamples);
  CHECK(z == std::map<int, int>{{1, 16}, {2, 16}, {3, 16}, {4, 16}});
}

TEST_CASE("draws are SplitMix64's, the same on every machine") {
  // splitmix64.c with the state 1234567 gives these first.
  constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15U;
  CHECK(mixed(1234567 + kGamma) == 6457827717110365317U);
  CHECK(mixed(1234567 + 2 * kGamma) == 3203168211198807973U);
  CHECK(drawn_share(1, 0, 0) >= 0);
  CHECK(drawn_share(1, 0, 0) < 1);
}

TEST_CASE("a task says all that a run needs") {
  const SweepPlan one =
      plan(R"("parameters": {"x": [1]}, "reports": true, "fidelity": "detailed")");
  const Json task = Json::parse(one.task(*one.point(0)));
  CHECK(task == Json::parse(R"({"point": 0, "arch": "a", "workload": "w", "fidelity": "detailed",
      "folder": "/folder", "parameters": {"x": 1},
      "objectives": [{"name": "total.cycles", "value": "total.cycles"}], "reports": true})"));
}
