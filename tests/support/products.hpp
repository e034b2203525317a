// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "sim/diagnostics.hpp"

namespace tilewave::test {

/// The plain product of a report's operands, in doubles (random cases' sums are exact there), is the
/// report's C.
inline void check_product(const Json& layer) {
  const Json& v = layer["values"];
  if (!v.contains("a")) return;
  for (std::size_t b = 0; b < v["a"].size(); ++b) {
    const auto a = v["a"][b].get<std::vector<std::vector<double>>>();
    const auto w = v["b"][b].get<std::vector<std::vector<double>>>();
    const auto c = v["c"][b].get<std::vector<std::vector<double>>>();
    for (std::size_t i = 0; i < c.size(); ++i) {
      for (std::size_t j = 0; j < c[i].size(); ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < w.size(); ++k) sum += a[i][k] * w[k][j];
        if (sum != c[i][j])
          FAIL("C[" << b << "][" << i << "][" << j << "] is " << c[i][j] << ", not " << sum);
      }
    }
  }
}

/// The fast run's report; none if the machine is too small for the workload, which the detailed run
/// must say as well.
inline std::optional<Json> run_unless_too_small(const Json& machine, const Workload& workload) {
  try {
    return comparable(run(machine, workload, Fidelity::fast));
  } catch (const ConfigError&) {
    CHECK_THROWS_AS(run(machine, workload, Fidelity::detailed), ConfigError);
    return std::nullopt;
  }
}

}  // namespace tilewave::test
