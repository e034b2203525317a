// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/report/run_data.hpp"

namespace tilewave {

/// What limits a layer (design, section 7).
enum class Bound { matrix, vector, dram, l2, l1, latency, launch, host, link };
[[nodiscard]] std::string_view to_string(Bound bound);

/// From the layer's cycles, grouped: matrix = arrays taking in vectors; vector = vector unit at
/// work; dram, host and link = waiting for data, or for results to leave, over that link; l1 = waiting
/// for accumulators; latency = filling, draining, loading weights into the array, waiting for
/// other cores, and idle; launch = starting the op. The
/// largest group names the bound. Waiting for memory while it moves less than half of what it could
/// is latency too, or l2 if that or the interconnect is in use for half of the time or more.
[[nodiscard]] Bound bound_of(const RunData& run, std::size_t layer);

}  // namespace tilewave
