// SPDX-License-Identifier: Apache-2.0
#include "app/report/energy_json.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

namespace tilewave {

Json energy_json(const EnergySplit& e) {
  return {{"matrix", e.matrix},
          {"vector", e.vector},
          {"register_file", e.register_file},
          {"l1", e.l1},
          {"l2", e.l2},
          {"dram", e.dram},
          {"interconnect", e.interconnect},
          {"static", e.leakage}};
}

BinShares::BinShares(const std::vector<double>& bins)
    : bins_(bins), sum_(std::accumulate(bins.begin(), bins.end(), 0.0)) {}

double BinShares::of(std::size_t i, double time_share) const {
  return sum_ > 0 ? bins_[i] / sum_ : time_share;
}

}  // namespace tilewave
