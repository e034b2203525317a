// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/config/json.hpp"

namespace tilewave {

/// Values of one parameter over the points of a sweep, a number each: itself, or the index of what it is.
class SampleColumn {
 public:
  void add(const Json& value);
  [[nodiscard]] const std::vector<double>& codes() const noexcept { return codes_; }
  [[nodiscard]] bool is_numeric() const noexcept { return words_.empty(); }
  /// What a code stands for, in words.
  [[nodiscard]] std::string words(double code) const;

 private:
  std::vector<double> codes_;
  std::map<std::string, double> index_;
  std::vector<std::string> words_;
};

/// Points by the values of a column: one group a value, or, where there are many numbers, groups of about
/// equally many points.
struct SampleGroups {
  std::vector<std::uint32_t> group;  ///< of each point
  std::vector<std::string> names;
};
[[nodiscard]] SampleGroups grouped(const SampleColumn& column);

/// The points that no other is better than in all of `columns` (of each, less is better), in order of the first
/// column; of equal ones all.
[[nodiscard]] std::vector<std::uint32_t> pareto_front(
    const std::vector<std::vector<double>>& columns);

}  // namespace tilewave
