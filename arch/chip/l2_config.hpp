// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/chip/chip_params.hpp"

namespace tilewave {

/// Reads a machine's "l2" and "interconnect"; nothing if it has no L2. The DMA engines of each of
/// the `cores` are a client. All faults go to the
/// reader's diagnostics.
[[nodiscard]] std::optional<L2Params> read_l2(ObjectReader& machine, Count cores);

/// Writes both into the machine, every default filled in.
void write_l2(const L2Params& l2, Json& machine);

}  // namespace tilewave
