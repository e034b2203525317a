// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arch/chip/chip_params.hpp"

namespace tilewave {

/// `links` of a machine of so many chips; more than one must have them.
[[nodiscard]] std::optional<LinkParams> read_links(ObjectReader& machine, Count chips);
void write_links(const LinkParams& links, Json& machine);

}  // namespace tilewave
