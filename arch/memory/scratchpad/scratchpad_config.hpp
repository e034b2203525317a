// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/memory/scratchpad/scratchpad_params.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Reads the keys of a scratchpad from an object in which others may stand too: the caller calls
/// finish(). `capacity_bytes` is the size of the whole, 0 if it is not stated; it becomes
/// bank_bytes. With faults, parameters that pass check_scratchpad().
[[nodiscard]] ScratchpadParams read_scratchpad(ObjectReader& reader, Bytes capacity_bytes = 0);

/// The same keys, all stated; the capacity is the caller's.
[[nodiscard]] Json to_json(const ScratchpadParams& params);

}  // namespace tilewave
