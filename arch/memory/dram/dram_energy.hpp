// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/memory/dram/dram_counts.hpp"
#include "arch/memory/dram/dram_params.hpp"

namespace tilewave {

/// Joules of a memory by what they went to.
struct DramEnergySplit {
  double activate = 0;    ///< ACTs with their PREs
  double read = 0;        ///< array to pins
  double write = 0;       ///< pins to array
  double io = 0;          ///< drivers, receivers, termination, either way
  double refresh = 0;     ///< above background
  double background = 0;  ///< all channels, all the time

  [[nodiscard]] double total() const noexcept {
    return activate + read + write + io + refresh + background;
  }
  DramEnergySplit& operator+=(const DramEnergySplit& other) noexcept;
};

/// What `counts`, of any number of the memory's channels together, and `seconds` of all channels
/// come to. Whole bursts count; what never reached the array (forwarded reads, merged writes) costs
/// nothing here. The boundary is that of DramEnergy.
[[nodiscard]] DramEnergySplit energy_of(const DramCounts& counts, const DramParams& dram,
                                        double seconds);

}  // namespace tilewave
