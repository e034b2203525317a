// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/units.hpp"

namespace tilewave {

/// L2 of a GPU: slices that all SMs share, in one or two partitions.
struct SharedL2Params {
  Bytes capacity_bytes = 0;
  Count slices = 1;
  Bytes sector_bytes = 32;
  Bytes bytes_per_cycle_per_slice = 64;
  Cycle latency_cycles = 0;      ///< of a load that hits, from its issue to its data
  Count partitions = 1;          ///< each serves half of the SMs and keeps copies of what they read
  Cycle far_latency_cycles = 0;  ///< more, where the data's home is the other partition
  Bytes partition_link_bytes_per_cycle = 0;  ///< between partitions, each way; 0: without limit

  [[nodiscard]] Bytes bytes_per_cycle() const { return slices * bytes_per_cycle_per_slice; }
};

}  // namespace tilewave
