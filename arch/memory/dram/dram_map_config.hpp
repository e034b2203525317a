// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/memory/dram/dram_params.hpp"
#include "sim/config/json.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Bits that `organisation` has of each field; of columns: bursts in a row.
[[nodiscard]] unsigned dram_field_bits(const DramOrganisation& organisation,
                                       DramAddressField::Kind kind);

/// Reads "address_map". The order of its slices must have every bit of the organisation exactly
/// once; if `organisation_known` is false, it is not held against it.
[[nodiscard]] DramAddressMap read_dram_map(ObjectReader map, const DramOrganisation& organisation,
                                           bool organisation_known);

[[nodiscard]] Json dram_map_to_json(const DramAddressMap& map);

}  // namespace tilewave
