// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/config/reader.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave {

/// What the workload says for ops that do not say it themselves.
struct OpDefaults {
  DataType dtype = DataType::int8;
  bool functional = false;
  std::uint64_t values_seed = 0;
};

/// The ops of a workload file: each one's kind, sizes and names, and how they chain. Reports all
/// faults; what is returned then is not to be used.
[[nodiscard]] std::vector<Op> read_ops(std::vector<ObjectReader> readers,
                                       const WorkloadReadOptions& options,
                                       const OpDefaults& defaults, Diagnostics& diagnostics);

}  // namespace tilewave
