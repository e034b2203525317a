// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/report/run_data.hpp"

namespace tilewave {

/// Utilisation, bandwidth and power over time, in bins of equal length. Power: the energy of
/// arrays, registers and buffers is spread like the multiplications, that of DRAM and links like
/// DRAM's bytes, the rest evenly; each bin's energy adds up to the total.
[[nodiscard]] Json timeline_json(const RunData& run);

}  // namespace tilewave
