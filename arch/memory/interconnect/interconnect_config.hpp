// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/memory/interconnect/interconnect_params.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Reads an interconnect, the whole object. All faults go to the reader's diagnostics.
[[nodiscard]] InterconnectParams read_interconnect(ObjectReader& reader);

/// Once the chip knows how many there are: reports endpoint_faults() at the reader.
void check_endpoints(const InterconnectParams& params, std::size_t clients, std::size_t servers,
                     ObjectReader& reader);

/// The resolved parameters as a file has them: those the topology heeds.
[[nodiscard]] Json to_json(const InterconnectParams& params);

}  // namespace tilewave
