// SPDX-License-Identifier: Apache-2.0
#include "app/report/layer_bound.hpp"

#include <algorithm>
#include <array>

#include "sim/clock_domain.hpp"

namespace tilewave {

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::matrix:
      return "matrix";
    case Bound::vector:
      return "vector";
    case Bound::dram:
      return "dram";
    case Bound::l2:
      return "l2";
    case Bound::l1:
      return "l1";
    case Bound::latency:
      return "latency";
    case Bound::launch:
      return "launch";
    case Bound::host:
      return "host";
    case Bound::link:
      return "link";
  }
  return "?";
}

namespace {

bool l2_half_busy(const LayerRecord& layer, const ChipParams& chip) {
  if (!chip.l2) return false;
  return 2 * layer.window_l2.moved_bytes >= layer.cycles() * chip.l2->bytes_per_cycle() ||
         2 * layer.window_l2.busiest_link_cycles >= layer.cycles();
}

}  // namespace

Bound bound_of(const RunData& run, std::size_t layer) {
  const LayerRecord& l = run.run.layers[layer];
  if (l.cycles() == 0) return Bound::latency;  // skipped: nothing bounds it
  const auto cycles = [&](CycleClass c) { return l.breakdown[static_cast<std::size_t>(c)]; };
  const std::array<std::pair<Bound, Cycle>, 8> groups{{
      {Bound::matrix, cycles(CycleClass::matrix_busy)},
      {Bound::vector, cycles(CycleClass::vector_busy)},
      {Bound::dram, cycles(CycleClass::wait_weights) + cycles(CycleClass::wait_activations) +
                        cycles(CycleClass::wait_dram) + cycles(CycleClass::wait_store)},
      {Bound::host, cycles(CycleClass::wait_host)},
      {Bound::link, cycles(CycleClass::wait_link)},
      {Bound::l1, cycles(CycleClass::wait_output)},
      {Bound::latency, cycles(CycleClass::fill_drain) + cycles(CycleClass::weight_load) +
                           cycles(CycleClass::wait_cores) + cycles(CycleClass::idle)},
      {Bound::launch, cycles(CycleClass::launch)},
  }};
  const auto largest =
      std::max_element(groups.begin(), groups.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const double seconds = ClockDomain(run.chip().clock()).time_of(l.cycles()).seconds();
  const auto half_idle = [&](Bytes bytes, double gb_per_s) {
    return static_cast<double>(bytes) < 0.5 * gb_per_s * 1e9 * seconds;
  };
  if (largest->first == Bound::dram &&
      half_idle(l.window_dram_bytes, run.chip().dram.bandwidth.gb_per_s())) {
    return l2_half_busy(l, run.chip()) ? Bound::l2 : Bound::latency;
  }
  if (largest->first == Bound::host && run.chip().host &&
      half_idle(l.window_host_bytes, run.chip().host->bandwidth.gb_per_s())) {
    return Bound::latency;
  }
  if (largest->first == Bound::link && run.chip().links &&
      half_idle(l.window_link_bytes, run.chip().links->ring_bandwidth().gb_per_s())) {
    return Bound::latency;
  }
  return largest->first;
}

}  // namespace tilewave
