// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validation_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewave {
namespace {

using Cases = std::vector<const ValidationCase*>;

bool each_within(const Cases& cases, bool in_points) {
  return std::ranges::all_of(cases, [&](const ValidationCase* c) {
    return !c->limit || std::abs(error_of(c->comparison, in_points)) <= *c->limit;
  });
}

Json score_json(const Measurement& m, const Cases& cases) {
  std::vector<Comparison> comparisons;
  for (const ValidationCase* c : cases) comparisons.push_back(c->comparison);
  const bool in_points = m.quantity.in_points();
  const Score score = score_of(comparisons, in_points);
  Json json = {{"name", m.name},
               {"quantity", to_string(m.quantity.kind)},
               {"unit", m.quantity.unit()},
               {"error", in_points ? "points" : "percent"},
               {"rows", score.rows},
               {"mean", score.mean},
               {"median", score.median},
               {"within_10_pct", score.within_10_pct},
               {"within_20_pct", score.within_20_pct},
               {"bias", score.bias},
               {"worst", score.worst}};
  if (score.rank_correlation) json["rank_correlation"] = *score.rank_correlation;
  return json;
}

/// The score of all rows of a measurement, with the limits it must keep.
Json whole_score(const Measurement& m, const Cases& cases) {
  Json json = score_json(m, cases);
  Json limits = Json::object();
  bool within = each_within(cases, m.quantity.in_points());
  const auto limit = [&](const char* name, const std::optional<double>& most) {
    if (!most) return;
    limits[name] = *most;
    within = within && json.at(name).get<double>() <= *most;
  };
  limit("mean", m.limits.mean);
  limit("median", m.limits.median);
  if (m.limits.each) limits["each"] = *m.limits.each;
  if (!m.limits.each_column.empty()) limits["each_column"] = m.limits.each_column;
  json["limits"] = limits;
  json["within_limits"] = within;
  return json;
}

Json case_json(const ValidationCase& c, const Measurement& m) {
  Json json = {{"score", m.name},
               {"label", c.label},
               {"line", c.line},
               {"simulated", c.comparison.simulated},
               {"measured", c.comparison.measured},
               {"error", error_of(c.comparison, m.quantity.in_points())}};
  if (!c.split.empty()) json["split"] = c.split;
  if (c.limit) json["limit"] = *c.limit;
  if (!c.reason.empty()) json["reason"] = c.reason;
  return json;
}

}  // namespace

Json validation_json(const Suite& suite, const ValidationRun& run) {
  Json json = {{"name", suite.name},
               {"note", suite.note},
               {"source", suite.source},
               {"machines", run.machines},
               {"rows", run.rows},
               {"rows_in_table", suite.table.rows.size()},
               {"rows_skipped", suite.rows_skipped}};
  if (suite.alone) json["alone"] = true;
  for (const Overhead& overhead : suite.overheads) {
    json["overhead"].push_back({{"us", overhead.us}, {"reason", overhead.reason}});
  }
  json["within_limits"] = true;
  json["scores"] = Json::array();
  json["cases"] = Json::array();
  for (std::size_t i = 0; i < suite.measurements.size(); ++i) {
    const Measurement& m = suite.measurements[i];
    Cases cases;
    std::set<std::string> splits;
    for (const ValidationCase& c : run.cases) {
      if (c.measurement != i) continue;
      cases.push_back(&c);
      if (!suite.split_by.empty()) splits.insert(c.split);
    }
    Json score = whole_score(m, cases);
    if (!score.at("within_limits").get<bool>()) json["within_limits"] = false;
    json["scores"].push_back(std::move(score));
    for (const std::string& split : splits) {
      Cases part;
      std::ranges::copy_if(cases, std::back_inserter(part),
                           [&](const ValidationCase* c) { return c->split == split; });
      Json partial = score_json(m, part);
      partial["split"] = split;
      json["scores"].push_back(std::move(partial));
    }
    std::ranges::stable_sort(cases, std::greater<>(), [&](const ValidationCase* c) {
      return badness(c->comparison, m.quantity.in_points());
    });
    for (const ValidationCase* c : cases) json["cases"].push_back(case_json(*c, m));
  }
  return json;
}

}  // namespace tilewave
