// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/chip/main_memory_params.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Reads "memory.dram" of a machine, every kind of machine alike. A memory with a preset is complete
/// when that is loaded: set_controllers.
[[nodiscard]] MainMemoryParams read_main_memory(ObjectReader dram);
void set_controllers(MainMemoryParams& memory, const DramParams& dram);
[[nodiscard]] Json to_json(const MainMemoryParams& memory);

}  // namespace tilewave
