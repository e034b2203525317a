// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/report/run_data.hpp"

namespace tilewave {

/// Of a machine with cubes: what goes through each level of its memory, from the cubes outwards:
/// "l0a", "l0b", "l0c", "l1", "l2", "dram"; bytes, bandwidth, and the most that the level can do.
/// `type`: of the numbers, which says how many fit through L0A and L0B.
[[nodiscard]] nlohmann::ordered_json levels_json(const LayerRecord& layer, const ChipParams& chip,
                                                 DataType type, Cycle cycles);

}  // namespace tilewave
