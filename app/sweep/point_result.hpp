// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/sweep/sweep_plan.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// What came of one point: numbers, or an error.
struct PointResult {
  std::uint64_t number = 0;
  Json parameters;
  std::string key;  ///< of the resolved input; empty: it could not be resolved
  Json objectives;  ///< by name; null: none
  Json total;       ///< the report's; null: none
  Json report;      ///< without "host"; null: not kept
  std::vector<std::string> warnings;
  std::string error;  ///< empty: it ran
  bool lost = false;  ///< the error is that its process ended: another try may work
};

/// As JSON on one line, and back. Throws std::exception for what is none.
[[nodiscard]] std::string to_line(const PointResult& result);
[[nodiscard]] PointResult result_from_line(std::string_view line);

/// The result of a point that is not run.
[[nodiscard]] PointResult failed_point(const SweepPoint& point, std::string error);

}  // namespace tilewave
