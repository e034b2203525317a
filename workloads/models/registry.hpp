// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sim/config/reader.hpp"
#include "sim/diagnostics.hpp"
#include "workloads/models/model.hpp"

namespace tilewave {

/// All networks, in the order they are listed.
[[nodiscard]] std::span<const Model> models();
/// nullptr: there is none of this name.
[[nodiscard]] const Model* find_model(std::string_view name);

/// The network's ops with the parameters that `reader`'s object gives (all optional); calls its
/// finish(). An unknown network or parameter, a value out of range, or sizes too large for 64 bits
/// are reported. With `batch_shares`, what is built has so many times less than the batch given; a
/// batch that this does not divide is a fault.
[[nodiscard]] Workload build_model(std::string_view name, ObjectReader& reader,
                                   Diagnostics& diagnostics, Count batch_shares = 1);

}  // namespace tilewave
