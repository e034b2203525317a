// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "arch/memory/dram/dram_params.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// The key that gives the size `stem`: "row_kib", if that is there, else "row_bytes".
[[nodiscard]] std::string size_key(const ObjectReader& reader, std::string_view stem);

/// Sizes that do not fit each other, such as a row that is no whole number of bursts.
void check_dram_organisation(ObjectReader& organisation, const DramOrganisation& o);

/// Timings that contradict each other or can never be met, such as a refresh that takes longer than
/// its interval. `dram` is complete; faults go to the preset.
void check_dram_timings(ObjectReader& preset, const DramParams& dram);

}  // namespace tilewave
