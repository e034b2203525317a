// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/simulate.hpp"
#include "app/sweep/sweep_plan.hpp"

namespace tilewave {

/// Finds paths in objectives that no report has, before points are run. What a point's report will have is seen in
/// the report of a small product on its machine; what only some kinds of op or machine have is given the benefit of
/// the doubt.
class ObjectiveCheck {
 public:
  explicit ObjectiveCheck(const Sweep& sweep);

  /// Every path has been found in some report.
  [[nodiscard]] bool done() const noexcept { return open_.empty(); }
  /// Looks for the others in the report that `request` will have. Costs a small run, unless one for an equal
  /// machine was done.
  void look_at(const RunRequest& request);
  /// Throws ConfigError for the paths that no report had.
  void throw_if_open(const Sweep& sweep) const;

 private:
  struct Path {
    std::size_t objective;
    std::string text;
    std::string fault;  ///< of the last report
  };

  std::vector<Path> open_;
  std::vector<std::pair<std::string, Json>> seen_;  ///< reports by key of the machine
};

}  // namespace tilewave
