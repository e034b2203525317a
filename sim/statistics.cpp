// SPDX-License-Identifier: Apache-2.0
#include "sim/statistics.hpp"

namespace tilewave {

StatGroup& StatGroup::group(const std::string& name) {
  for (const auto& g : groups_) {
    if (g->name() == name) return *g;
  }
  groups_.push_back(std::make_unique<StatGroup>(name));
  return *groups_.back();
}

void StatGroup::count(std::string name, std::string unit, std::string description,
                      const Count& value) {
  count(std::move(name), std::move(unit), std::move(description), [&value] { return value; });
}

void StatGroup::count(std::string name, std::string unit, std::string description,
                      std::function<Count()> value) {
  stats_.push_back({std::move(name), std::move(unit), std::move(description), std::move(value), 0});
}

nlohmann::ordered_json StatGroup::to_json() const {
  auto json = nlohmann::ordered_json::object();
  for (const auto& s : stats_) {
    json[s.name] = {
        {"value", s.value() + s.elsewhere}, {"unit", s.unit}, {"description", s.description}};
  }
  for (const auto& g : groups_) json[g->name()] = g->to_json();
  return json;
}

void StatGroup::values(std::vector<Count>& values) const {
  for (const auto& s : stats_) values.push_back(s.value());
  for (const auto& g : groups_) g->values(values);
}

std::size_t StatGroup::add(const Count* amounts) {
  std::size_t taken = 0;
  for (auto& s : stats_) s.elsewhere += amounts[taken++];
  for (auto& g : groups_) taken += g->add(amounts + taken);
  return taken;
}

}  // namespace tilewave
