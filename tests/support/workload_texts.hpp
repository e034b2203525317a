// SPDX-License-Identifier: Apache-2.0
// Workloads read from text, for tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"

#include "workloads/workload_json.hpp"

namespace tilewave::test {

inline Workload read(const std::string& text, Diagnostics& diagnostics,
                     const WorkloadReadOptions& given = {}) {
  WorkloadReadOptions options = given;
  options.file = "w.json";
  options.default_name = "w";
  return read_workload(Json::parse(text), options, diagnostics);
}

inline Workload read_good(const std::string& text, const WorkloadReadOptions& options = {}) {
  Diagnostics diagnostics;
  Workload workload = read(text, diagnostics, options);
  diagnostics.throw_if_errors();
  CHECK(diagnostics.warnings().empty());
  return workload;
}

}  // namespace tilewave::test
