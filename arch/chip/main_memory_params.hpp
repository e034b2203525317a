// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "arch/memory/dram/dram_params.hpp"
#include "sim/config/json.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Off-chip memory: ideal, as bandwidth and latency, or cycle by cycle with its controllers.
struct MainMemoryParams {
  bool ideal = false;     ///< answers at once
  std::string kind;       ///< of the energy table: "ddr3", "hbm2", … (not with controllers)
  Bandwidth bandwidth{};  ///< with controllers: the peak
  double latency_ns = 0;  ///< with controllers: what comes on top of the DRAM's own timing
  /// A memory of configs/dram, and what this machine changes in it, as its file has it; whoever reads
  /// the machine loads it into `controllers`.
  std::string preset{};
  Json preset_changes{};
  Count stacks = 1;  ///< so many times the preset's channels
  std::optional<DramParams> controllers{};
  Count requests = 64;        ///< held by the controllers at a time
  Bytes capacity_bytes = 0;   ///< 0: not stated
  bool weights_only = false;  ///< activations come and go over the host link
};

}  // namespace tilewave
