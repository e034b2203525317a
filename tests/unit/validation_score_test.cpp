// SPDX-License-Identifier: Apache-2.0
// Errors of simulated against measured numbers, worked out by hand.
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/catch.hpp"

#include "app/validate/outcome.hpp"
#include "app/validate/score.hpp"

using namespace tilewave;

namespace {

constexpr bool kPercent = false;
constexpr bool kPoints = true;

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

TEST_CASE("an error is percent of what was measured, or points", "[validate]") {
  CHECK(near(error_of({.simulated = 110, .measured = 100}, kPercent), 10));
  CHECK(near(error_of({.simulated = 50, .measured = 100}, kPercent), -50));
  CHECK(near(error_of({.simulated = 7.5, .measured = 10}, kPoints), -2.5));
}

TEST_CASE("a ratio of two is as bad as one of a half", "[validate]") {
  CHECK(near(badness({.simulated = 2, .measured = 1}, kPercent),
             badness({.simulated = 1, .measured = 2}, kPercent)));
  CHECK(badness({.simulated = 0, .measured = 1}, kPercent) > 10);
  CHECK(near(badness({.simulated = 1, .measured = 4}, kPoints), 3));
}

TEST_CASE("a score is made of absolute errors", "[validate]") {
  // Errors: +10 %, -20 %, +50 %, 0.
  const std::vector<Comparison> rows{{110, 100}, {80, 100}, {3, 2}, {7, 7}};
  const Score score = score_of(rows, kPercent);
  CHECK(score.rows == 4);
  CHECK(near(score.mean, 20));
  CHECK(near(score.median, 20));  // 0 10 20 50: the upper of the middle two
  CHECK(near(score.worst, 50));
  CHECK(score.within_20_pct >= score.within_10_pct);
  CHECK(near(score.within_20_pct, 75));
  CHECK(near(score.bias, std::pow(1.1 * 0.8 * 1.5, 0.25)));
}

TEST_CASE("shares are within 10 and 20 including the limit", "[validate]") {
  const std::vector<Comparison> rows{{20, 10}, {30, 10}, {10, 10}, {30.5, 10}};
  const Score score = score_of(rows, kPoints);
  CHECK(near(score.within_10_pct, 50));
  CHECK(near(score.within_20_pct, 75));
  CHECK(near(score.bias, (10 + 20 + 0 + 20.5) / 4));
}

TEST_CASE("the rank correlation tells whether the order is right", "[validate]") {
  const auto rank = [](const std::vector<Comparison>& rows) {
    return score_of(rows, kPercent).rank_correlation;
  };
  CHECK(near(rank({{1, 10}, {2, 20}, {30, 21}}).value(), 1));
  CHECK(near(rank({{3, 10}, {2, 20}, {1, 30}}).value(), -1));
  // 1 - 6 sum d^2 / (n (n^2 - 1)) = 1 - 6 x 2 / 24.
  CHECK(near(rank({{2, 1}, {1, 2}, {3, 3}}).value(), 0.5));
  CHECK_FALSE(rank({{1, 1}, {2, 2}}).has_value());
  CHECK_FALSE(rank({{1, 1}, {1, 2}, {1, 3}}).has_value());  // all ours are equal: no order
}

TEST_CASE("nothing compared is no score", "[validate]") {
  const Score score = score_of({}, kPercent);
  CHECK(score.rows == 0);
  CHECK_FALSE(score.rank_correlation.has_value());
}

TEST_CASE("quantities come out of a report's layers", "[validate]") {
  const Json layer = Json::parse(R"({"cycles": 1000, "time_s": 2e-6, "flops": 4000000,
      "utilization": 0.25, "breakdown": {"matrix_busy": 400, "wait_weights": 350, "idle": 250}})");
  const Outcome one = outcome_of(layer);
  const auto value = [&](QuantityKind kind, const Outcome& outcome) {
    return value_of({.kind = kind, .classes = {"wait_weights", "idle"}}, outcome, one);
  };
  CHECK(near(value(QuantityKind::time_us, one), 2));
  CHECK(near(value(QuantityKind::cycles, one), 1000));
  CHECK(near(value(QuantityKind::tops, one), 2));
  CHECK(near(value(QuantityKind::cycle_share_pct, one), 60));
  CHECK(near(value(QuantityKind::useful_macs_pct, one), 25));
  CHECK(near(value(QuantityKind::unused_macs_pct, one), 15));

  Outcome two = one;
  two += one;  // a row of two layers
  CHECK(near(value(QuantityKind::cycles, two), 2000));
  CHECK(near(value(QuantityKind::tops, two), 2));
  CHECK(near(value(QuantityKind::useful_macs_pct, two), 25));
  CHECK(near(value(QuantityKind::speedup, two), 0.5));
}

TEST_CASE("nothing done is no rate", "[validate]") {
  const Outcome none;
  CHECK(value_of({.kind = QuantityKind::tops, .classes = {}}, none, none) == 0);
  CHECK(value_of({.kind = QuantityKind::cycle_share_pct, .classes = {"idle"}}, none, none) == 0);
}
