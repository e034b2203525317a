// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arch/chip/link_params.hpp"
#include "arch/program/parallelism.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// `chips` of a machine.
[[nodiscard]] Count read_chips(ObjectReader& machine);
/// `links` of a machine of so many chips; more than one must have them.
[[nodiscard]] std::optional<LinkParams> read_links(ObjectReader& machine, Count chips);
void write_links(const LinkParams& links, Json& machine);

/// How a workload is spread over the chips: `parallel` and `batch` of a machine's `mapping`.
struct ChipShares {
  Parallelism parallel = Parallelism::none;
  bool total_batch = false;  ///< chips share a network's batch (data parallelism)
};
[[nodiscard]] ChipShares read_chip_shares(ObjectReader& mapping);
void write_chip_shares(const ChipShares& shares, Json& mapping);

}  // namespace tilewave
