// SPDX-License-Identifier: Apache-2.0
// Runs with what comes again simulated once, and each time.
#pragma once

#include <nlohmann/json.hpp>
#include <utility>

#include "support/catch.hpp"
#include "support/machines.hpp"

namespace tilewave::test {

/// Both ways: the reports are the same, byte for byte but for `host`. Returns that of the first.
inline Json with_repeats_skipped(RunRequest request) {
  Json skipped = simulate(request).report;
  request.skip_repeats = false;
  const Json whole = simulate(request).report;
  CHECK(whole["host"]["repeated_kernels"].get<Count>() == 0);
  if (comparable(skipped).dump() != comparable(whole).dump()) {
    FAIL(Json::diff(comparable(whole), comparable(skipped)).dump(1).substr(0, 2000));
  }
  return skipped;
}

}  // namespace tilewave::test
