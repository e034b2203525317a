// SPDX-License-Identifier: Apache-2.0
#include "app/report/timeline_json.hpp"

#include <algorithm>

#include "app/report/energy_json.hpp"
#include "sim/clock_domain.hpp"

namespace tilewave {

Json timeline_json(const RunData& run) {
  const Timeline& timeline = run.run.timeline;
  const Cycle end = run.run.cycles;
  const Cycle width = timeline.bin_cycles();
  const auto macs = timeline.bins(kMacsChannel, end);
  const auto bytes = timeline.bins(kDramBytesChannel, end);
  const ClockDomain clock(run.chip().clock());

  EnergySplit energy;
  for (const auto& e : run.energy) energy += e;
  const double with_macs = energy.matrix + energy.register_file + energy.l1 + energy.l2;
  const double with_bytes = energy.dram + energy.interconnect;

  Json json = {{"bin_cycles", width},
               {"matrix_utilization", Json::array()},
               {"dram_gb_per_s", Json::array()},
               {"power_w", Json::array()}};
  const bool has_l2 = run.chip().l2.has_value();
  const auto l2_bytes = timeline.bins(kL2BytesChannel, end);
  if (has_l2) json["l2_gb_per_s"] = Json::array();
  const BinShares macs_shares(macs), bytes_shares(bytes);
  for (std::size_t i = 0; end > 0 && i < macs.size(); ++i) {
    const Cycle cycles = std::min(width, end - i * width);
    const double seconds = static_cast<double>(cycles) / clock.frequency().hz();
    const double time_share = static_cast<double>(cycles) / static_cast<double>(end);
    json["matrix_utilization"].push_back(
        macs[i] /
        (static_cast<double>(run.chip().peak_macs_per_cycle()) * static_cast<double>(cycles)));
    json["dram_gb_per_s"].push_back(bytes[i] * 1e-9 / seconds);
    if (has_l2) json["l2_gb_per_s"].push_back(l2_bytes[i] * 1e-9 / seconds);
    json["power_w"].push_back((with_macs * macs_shares.of(i, time_share) +
                               with_bytes * bytes_shares.of(i, time_share) +
                               (energy.vector + energy.leakage) * time_share) /
                              seconds);
  }
  return json;
}

}  // namespace tilewave
