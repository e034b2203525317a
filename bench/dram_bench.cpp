// SPDX-License-Identifier: Apache-2.0
// Requests of 64 bytes, and streams of 64 KiB ones, per second of host time to a memory alone, in both
// fidelities.
#include <algorithm>
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

struct Case {
  const char* name;
  TrafficPattern pattern;
  Bytes request_bytes;
  Count requests;
};
constexpr std::array kCases{Case{"sequential", TrafficPattern::sequential, 64, 4'000'000},
                            Case{"random", TrafficPattern::random, 64, 200'000},
                            Case{"stream", TrafficPattern::sequential, 65'536, 4'000}};

void run_memory(benchmark::State& state, const std::string& preset, const Case& of, DramPace pace) {
  Diagnostics diagnostics;
  auto dram = load_dram(preset, config_dir(), diagnostics);
  diagnostics.throw_if_errors();
  DramRunRequest request{.dram = std::move(*dram),
                         .pace = pace,
                         .request_bytes = of.request_bytes,
                         .requests = of.requests};
  request.in_flight = default_in_flight(request.dram, request.request_bytes);
  const TrafficParams traffic{.pattern = of.pattern,
                              .request_bytes = request.request_bytes,
                              .capacity_bytes = request.dram.capacity_bytes()};
  double cycles = 0;
  for (auto _ : state) {
    PatternTraffic source(traffic);
    cycles += static_cast<double>(run_dram(request, source).cycles);
  }
  const Count bursts = of.requests * of.request_bytes /
                       std::min(of.request_bytes, request.dram.organisation.burst_bytes());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(of.requests));
  state.counters["bursts_per_s"] =
      benchmark::Counter(static_cast<double>(bursts) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["simulated_cycles_per_s"] =
      benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}

// Named memory/PRESET_PATTERN/FIDELITY, as scripts/bench_ratios.py splits them.
const bool registered = [] {
  constexpr std::array kPresets{"ddr4_3200", "lpddr5_6400", "gddr6_14000",
                                "hbm2_2000", "hbm3_5200",   "hbm4_8000"};
  for (const char* preset : kPresets) {
    for (const Case& of : kCases) {
      const std::string name = "memory/" + std::string(preset) + "_" + of.name;
      for (const auto& [fidelity, pace] : {std::pair{"/fast", DramPace::run_ahead},
                                           std::pair{"/detailed", DramPace::burst_by_burst}}) {
        benchmark::RegisterBenchmark((name + fidelity).c_str(), run_memory, preset, of, pace)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
