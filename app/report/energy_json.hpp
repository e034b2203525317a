// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "arch/energy/energy_account.hpp"
#include "sim/config/json.hpp"

namespace tilewave {

/// Joules by component, with the report's names.
[[nodiscard]] Json energy_json(const EnergySplit& energy);

/// Of something that goes with what a timeline's channel has in its bins, the share of each bin; where the channel
/// is empty, it goes with time. The bins must outlive it.
class BinShares {
 public:
  explicit BinShares(const std::vector<double>& bins);
  [[nodiscard]] double of(std::size_t i, double time_share) const;

 private:
  const std::vector<double>& bins_;
  double sum_;
};

}  // namespace tilewave
