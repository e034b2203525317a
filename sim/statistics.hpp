// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

/// A node of the tree of statistics, which mirrors the hardware. Units count raw 64-bit integers of
/// their own on the hot path and register a reference here once; values are read when the report is
/// written.
class StatGroup {
 public:
  explicit StatGroup(std::string name) : name_(std::move(name)) {}

  StatGroup& group(const std::string& name);
  /// `unit`: "cycles", "bytes", "requests", … The referenced count must outlive the group.
  void count(std::string name, std::string unit, std::string description, const Count& value);
  void count(std::string name, std::string unit, std::string description,
             std::function<Count()> value);

  /// { "group": { "stat": { "value": 1, "unit": "cycles", "description": "…" } } }
  [[nodiscard]] nlohmann::ordered_json to_json() const;
  /// Appends all values, in an order that stays the same once everything has registered.
  void values(std::vector<Count>& values) const;
  /// Adds to each value, in that order, what was counted elsewhere. Returns how many it took.
  std::size_t add(const Count* amounts);
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  struct Stat {
    std::string name, unit, description;
    std::function<Count()> value;
    Count elsewhere = 0;
  };
  std::string name_;
  std::vector<Stat> stats_;
  std::vector<std::unique_ptr<StatGroup>> groups_;
};

}  // namespace tilewave
