// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/sweep.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// One point of a sweep.
struct SweepPoint {
  std::uint64_t number = 0;  ///< among the plan's candidates, from 0
  Json parameters;           ///< value by path, in the order of the file
  std::string error;         ///< it cannot be run: an expression that has no value there
};

/// The points of a sweep, made one by one from their numbers: nothing grows with how many there are.
///
/// Of a grid, the last parameter runs fastest. `random` draws each value of a point from (seed, number,
/// parameter); `latin_hypercube` divides each parameter into as many strata as samples and visits each
/// once, in an order drawn from (seed, parameter). The generator is our own (SplitMix64), so that a seed
/// gives the same points on every machine.
class SweepPlan {
 public:
  /// Throws ConfigError if the grid is larger than numbers are for.
  explicit SweepPlan(Sweep sweep);

  [[nodiscard]] const Sweep& sweep() const noexcept { return sweep_; }
  /// Points before constraints take some away.
  [[nodiscard]] std::uint64_t candidates() const noexcept { return candidates_; }
  /// Nothing: a constraint leaves it out.
  [[nodiscard]] std::optional<SweepPoint> point(std::uint64_t number) const;
  /// All that one point's run needs, as JSON on one line: what run_point() takes.
  [[nodiscard]] std::string task(const SweepPoint& point) const;

 private:
  [[nodiscard]] Json value(std::size_t parameter, std::uint64_t number) const;
  [[nodiscard]] double share(std::size_t parameter, std::uint64_t number) const;
  void draw_strata();

  Sweep sweep_;
  std::uint64_t candidates_ = 1;
  std::vector<std::uint64_t> strides_;  ///< of a grid: candidates per step of a parameter
  std::vector<std::vector<std::uint32_t>> strata_;  ///< of latin_hypercube: by parameter and number
};

}  // namespace tilewave
