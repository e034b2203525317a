// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/chip/chip_params.hpp"

namespace tilewave {

/// `mapping` of a machine: what the mapper may do. The rest of `chip` is read before.
void read_mapping(ObjectReader& machine, ChipParams& chip);
void write_mapping(const ChipParams& chip, Json& machine);

}  // namespace tilewave
