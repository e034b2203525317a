// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/point_result.hpp"

#include <utility>

namespace tilewave {

std::string to_line(const PointResult& result) {
  Json json = {{"point", result.number}, {"parameters", result.parameters}};
  if (!result.key.empty()) json["key"] = result.key;
  if (!result.objectives.is_null()) json["objectives"] = result.objectives;
  if (!result.total.is_null()) json["total"] = result.total;
  if (!result.report.is_null()) json["report"] = result.report;
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
  if (!result.error.empty()) json["error"] = result.error;
  if (result.lost) json["lost"] = true;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PointResult result_from_line(std::string_view line) {
  Json json = Json::parse(line);
  PointResult result{.number = json.at("point").get<std::uint64_t>(),
                     .parameters = std::move(json.at("parameters")),
                     .key = json.value("key", ""),
                     .objectives = {},
                     .total = {},
                     .report = {},
                     .warnings = {},
                     .error = json.value("error", ""),
                     .lost = json.value("lost", false)};
  if (json.contains("objectives")) result.objectives = std::move(json.at("objectives"));
  if (json.contains("total")) result.total = std::move(json.at("total"));
  if (json.contains("report")) result.report = std::move(json.at("report"));
  if (json.contains("warnings")) json.at("warnings").get_to(result.warnings);
  return result;
}

PointResult failed_point(const SweepPoint& point, std::string error) {
  return {.number = point.number,
          .parameters = point.parameters,
          .key = {},
          .objectives = {},
          .total = {},
          .report = {},
          .warnings = {},
          .error = std::move(error)};
}

}  // namespace tilewave
