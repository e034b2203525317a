// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arch/energy/energy_account.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// Joules by component, with the report's names.
[[nodiscard]] Json energy_json(const EnergySplit& energy);

/// Of an amount that goes with what a timeline's channel has in its bins, the part of bin `i`; where the
/// channel is empty, with time.
[[nodiscard]] double part_of_bin(double amount, const std::vector<double>& bins, std::size_t i,
                                 double time_share);

}  // namespace tilewave
