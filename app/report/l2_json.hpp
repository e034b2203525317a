// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/report/run_data.hpp"

namespace tilewave {

/// What the L2 did in so many cycles: "traffic.l2" of a layer.
[[nodiscard]] Json l2_json(const SharedCacheCounts& counts, const ChipParams& chip, Cycle cycles);

/// What its interconnect did: "traffic.interconnect" of a layer.
[[nodiscard]] Json interconnect_json(const SharedCacheCounts& counts, Cycle cycles);

}  // namespace tilewave
