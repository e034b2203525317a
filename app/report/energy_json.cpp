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

double part_of_bin(double amount, const std::vector<double>& bins, std::size_t i,
                   double time_share) {
  const double sum = std::accumulate(bins.begin(), bins.end(), 0.0);
  return amount * (sum > 0 ? bins[i] / sum : time_share);
}

}  // namespace tilewave
