// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/memory/dram/dram_params.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Reads a preset of configs/dram; `standard` is the file of configs/dram/standards that it names.
/// All faults go to the readers' diagnostics; after one, what is returned is not to be used.
[[nodiscard]] DramParams read_dram(ObjectReader& preset, ObjectReader& standard);

/// The resolved preset as a file has it (without notes), with the standard in it, the rules with
/// their cycles. Reading it again gives the same memory.
[[nodiscard]] Json to_json(const DramParams& dram);

}  // namespace tilewave
