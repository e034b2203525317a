// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "app/dram/latency_histogram.hpp"
#include "app/dram/traffic.hpp"
#include "arch/memory/dram/dram_energy.hpp"
#include "arch/memory/dram/dram_system.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// A memory system alone under traffic.
struct DramRunRequest {
  static constexpr Count kAll = std::numeric_limits<Count>::max();

  DramParams dram{};
  DramPace pace = DramPace::run_ahead;
  Bytes request_bytes = 64;    ///< a power of two that divides the capacity
  Count requests = kAll;       ///< at most
  std::size_t in_flight = 16;  ///< requests at a time, at most
  /// Requests done; called every few thousand and at the end. May throw to stop the run.
  std::function<void(Count done)> progress{};
};

/// What came out. Ticks are those of the memory (DramTick).
struct DramRunResult {
  Count reads = 0, writes = 0;  ///< requests
  Count wrapped = 0;            ///< of them, given an address beyond the capacity
  DramTick ticks_per_cycle = 1;
  Cycle cycles = 0;  ///< of the command clock, from 0 until the last request is done
  double seconds = 0;
  LatencyHistogram read_ticks, write_ticks;  ///< from submission to done
  DramCounts counts;
  std::vector<DramCounts> channels;
  DramEnergySplit energy;

  [[nodiscard]] Count requests() const noexcept { return reads + writes; }
};

/// Requests in flight by default: what fills the read queues of all channels eight times, at least 16
/// and no more than most_in_flight().
[[nodiscard]] std::size_t default_in_flight(const DramParams& dram, Bytes request_bytes);
/// What the memory system has room for: its tables grow with channels x requests in flight.
[[nodiscard]] std::size_t most_in_flight(const DramParams& dram);

/// Sends the source's requests as fast as places get free: one whose place another request leaves
/// at tick t goes in at t + 1. An address is aligned down to the request's size and wraps at the
/// capacity. The outcome is the same in both paces. Refreshes are counted to the end. Throws
/// SimulationError if a law of the memory is violated, and what source and progress throw.
[[nodiscard]] DramRunResult run_dram(const DramRunRequest& request, TrafficSource& source);

/// Share of the time in which a bank is kept from work by its own refreshes, over all banks.
[[nodiscard]] double refresh_share(const DramParams& dram, const DramCounts& counts, Cycle cycles);

}  // namespace tilewave
