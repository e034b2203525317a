// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/units.hpp"

namespace tilewave {

/// Largest resident memory of this process so far.
[[nodiscard]] Bytes peak_memory_bytes();

}  // namespace tilewave
