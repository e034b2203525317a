// SPDX-License-Identifier: Apache-2.0
// Requests of 64 bytes per second of host time to a memory alone, in both fidelities.
#include <array>
#include <benchmark/benchmark.h>
#include <string>
#include <utility>

#include "app/dram/dram_run.hpp"
#include "app/dram/traffic_pattern.hpp"
#include "app/library/config_dir.hpp"
#include "app/library/dram_library.hpp"
#include "sim/diagnostics.hpp"

namespace {

using namespace tilewave;

constexpr Count kRequests = 200'000;

void run_memory(benchmark::State& state, const std::string& preset, TrafficPattern pattern,
                DramPace pace) {
  Diagnostics diagnostics;
  auto dram = load_dram(preset, config_dir(), diagnostics);
  diagnostics.throw_if_errors();
  DramRunRequest request{.dram = std::move(*dram), .pace = pace, .requests = kRequests};
  request.in_flight = default_in_flight(request.dram, request.request_bytes);
  const TrafficParams traffic{.pattern = pattern,
                              .request_bytes = request.request_bytes,
                              .capacity_bytes = request.dram.capacity_bytes()};
  double cycles = 0;
  for (auto _ : state) {
    PatternTraffic source(traffic);
    cycles += static_cast<double>(run_dram(request, source).cycles);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRequests));
  state.counters["simulated_cycles_per_s"] =
      benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}

// Named memory/PRESET_PATTERN/FIDELITY, as scripts/bench_ratios.py splits them.
const bool registered = [] {
  constexpr std::array kPresets{"ddr4_3200", "lpddr5_6400", "gddr6_14000",
                                "hbm2_2000", "hbm3_5200",   "hbm4_8000"};
  constexpr std::array kPatterns{TrafficPattern::sequential, TrafficPattern::random};
  for (const char* preset : kPresets) {
    for (const TrafficPattern pattern : kPatterns) {
      const std::string name =
          "memory/" + std::string(preset) + "_" + std::string(to_string(pattern));
      for (const auto& [fidelity, pace] :
           {std::pair{"/fast", DramPace::run_ahead}, std::pair{"/detailed", DramPace::lock_step}}) {
        benchmark::RegisterBenchmark((name + fidelity).c_str(), run_memory, preset, pattern, pace)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
