// SPDX-License-Identifier: Apache-2.0
#include "app/validate/outcome.hpp"

#include <nlohmann/json.hpp>

namespace tilewave {
namespace {

constexpr double kPercent = 100.0;
constexpr double kMicro = 1e6;
constexpr double kTera = 1e-12;

double share(const Outcome& outcome, std::string_view cycle_class) {
  const auto found = outcome.breakdown.find(std::string(cycle_class));
  return found == outcome.breakdown.end() || outcome.cycles <= 0 ? 0.0
                                                                 : found->second / outcome.cycles;
}

double useful(const Outcome& outcome) {
  return outcome.cycles > 0 ? outcome.busy_macs / outcome.cycles : 0.0;
}

}  // namespace

bool Quantity::in_points() const {
  return kind == QuantityKind::cycle_share_pct || kind == QuantityKind::useful_macs_pct ||
         kind == QuantityKind::unused_macs_pct;
}

std::string_view Quantity::unit() const {
  switch (kind) {
    case QuantityKind::time_us:
      return "us";
    case QuantityKind::cycles:
      return "cycles";
    case QuantityKind::tops:
      return "TOPS";
    case QuantityKind::speedup:
      return "x";
    case QuantityKind::cycle_share_pct:
    case QuantityKind::useful_macs_pct:
    case QuantityKind::unused_macs_pct:
      return "%";
  }
  return "";
}

std::string_view to_string(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::time_us:
      return "time_us";
    case QuantityKind::cycles:
      return "cycles";
    case QuantityKind::tops:
      return "tops";
    case QuantityKind::speedup:
      return "speedup";
    case QuantityKind::cycle_share_pct:
      return "cycle_share_pct";
    case QuantityKind::useful_macs_pct:
      return "useful_macs_pct";
    case QuantityKind::unused_macs_pct:
      return "unused_macs_pct";
  }
  return "?";
}

Outcome& Outcome::operator+=(const Outcome& other) {
  cycles += other.cycles;
  time_s += other.time_s;
  flops += other.flops;
  busy_macs += other.busy_macs;
  for (const auto& [name, value] : other.breakdown) breakdown[name] += value;
  return *this;
}

Outcome outcome_of(const Json& entry) {
  Outcome outcome;
  outcome.cycles = entry.at("cycles").get<double>();
  outcome.time_s = entry.at("time_s").get<double>();
  outcome.flops = entry.at("flops").get<double>();
  outcome.busy_macs = entry.at("utilization").get<double>() * outcome.cycles;
  for (const auto& [name, cycles] : entry.at("breakdown").items()) {
    outcome.breakdown[name] = cycles.get<double>();
  }
  return outcome;
}

double value_of(const Quantity& quantity, const Outcome& outcome, const Outcome& baseline) {
  const bool timed = outcome.time_s > 0;
  switch (quantity.kind) {
    case QuantityKind::time_us:
      return outcome.time_s * kMicro;
    case QuantityKind::cycles:
      return outcome.cycles;
    case QuantityKind::tops:
      return timed ? outcome.flops / outcome.time_s * kTera : 0.0;
    case QuantityKind::speedup:
      return timed ? baseline.time_s / outcome.time_s : 0.0;
    case QuantityKind::cycle_share_pct: {
      double sum = 0;
      for (const std::string& name : quantity.classes) sum += share(outcome, name);
      return sum * kPercent;
    }
    case QuantityKind::useful_macs_pct:
      return useful(outcome) * kPercent;
    case QuantityKind::unused_macs_pct:
      return (share(outcome, "matrix_busy") - useful(outcome)) * kPercent;
  }
  return 0.0;
}

}  // namespace tilewave
