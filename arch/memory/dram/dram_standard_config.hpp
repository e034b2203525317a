// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/memory/dram/dram_params.hpp"
#include "sim/config/json.hpp"
#include "sim/config/reader.hpp"

/// The two halves of reading a standard; read_dram() puts them together with the preset.
namespace tilewave {

/// Reads the names of the standard's timings and, from `preset`, a value for each. False: not all
/// are sound.
[[nodiscard]] bool read_dram_timings(ObjectReader& preset, ObjectReader& standard,
                                     DramParams& dram);

/// Reads all else of the standard: command bus, rules, latencies, refresh. Expressions are worked
/// out with dram.timing_cycles; if `timings_known` is false, only their names are checked.
void read_dram_standard(ObjectReader& standard, bool timings_known, DramParams& dram);

/// The standard as a file has it, each rule with what its expression comes to.
[[nodiscard]] Json dram_standard_to_json(const DramParams& dram);

}  // namespace tilewave
