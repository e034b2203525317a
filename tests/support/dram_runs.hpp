// SPDX-License-Identifier: Apache-2.0
// Runs of a preset alone under a pattern.
#pragma once

#include <nlohmann/json.hpp>

#include "support/dram_files.hpp"

#include "app/dram/dram_report.hpp"
#include "app/dram/dram_run.hpp"
#include "app/dram/traffic_pattern.hpp"

namespace tilewave::test {

inline DramRunRequest request_for(const char* preset, Count requests, DramPace pace) {
  DramRunRequest request{.dram = dram_preset(preset), .pace = pace, .requests = requests};
  request.in_flight = default_in_flight(request.dram, request.request_bytes);
  return request;
}

inline TrafficParams traffic_for(const DramRunRequest& request, TrafficPattern pattern) {
  return {.pattern = pattern,
          .request_bytes = request.request_bytes,
          .capacity_bytes = request.dram.capacity_bytes(),
          .read_share = 0.75};
}

inline Json report_of(const DramRunRequest& request, TrafficPattern pattern) {
  PatternTraffic traffic(traffic_for(request, pattern));
  return dram_report(request, run_dram(request, traffic), {{"pattern", to_string(pattern)}},
                     {.fidelity = "fast", .wall_s = 0.5});
}

}  // namespace tilewave::test
