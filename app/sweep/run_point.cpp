// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/run_point.hpp"

#include <exception>
#include <fmt/format.h>
#include <utility>

#include "app/sweep/expression.hpp"
#include "sim/config/json_path.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// Simulates; throws what goes wrong.
void run(const Json& task, PointResult& result) {
  PointInput input = resolve_task(task);
  result.key = key_of(input.request);
  result.warnings = std::move(input.warnings);
  RunResult run = simulate(input.request);
  for (std::string& warning : run.warnings) result.warnings.push_back(std::move(warning));
  result.objectives = objectives_of(task, run.report);
  result.total = std::move(run.report.at("total"));
  if (!task.value("reports", false)) return;
  run.report["total"] = result.total;
  run.report.erase("host");  // how long it took is not a result
  result.report = std::move(run.report);
}

}  // namespace

std::string run_point(std::string_view task_line) {
  const Json task = Json::parse(task_line);
  PointResult result;
  result.number = task.at("point").get<std::uint64_t>();
  result.parameters = task.at("parameters");
  try {
    run(task, result);
  } catch (const std::exception& error) {
    result.objectives = result.total = result.report = Json();
    result.error = error.what();
  }
  return to_line(result);
}

Json objectives_of(const Json& task, const Json& report) {
  const Json& parameters = task.at("parameters");
  const auto lookup = [&](const std::string& name) -> const Json* {
    const auto parameter = parameters.find(name);
    return parameter != parameters.end() ? &*parameter : find_value(report, name);
  };
  Json values = Json::object();
  for (const Json& objective : task.at("objectives")) {
    const auto name = objective.at("name").get<std::string>();
    try {
      Json value = Expression(objective.at("value").get<std::string>()).evaluate(lookup);
      if (!value.is_number()) throw ExpressionError(fmt::format("{} is no number", shown(value)));
      values[name] = std::move(value);
    } catch (const ExpressionError& error) {
      throw ExpressionError(fmt::format("objective {}: {}", name, error.what()));
    }
  }
  return values;
}

}  // namespace tilewave
