// SPDX-License-Identifier: Apache-2.0
#include "app/dram/dram_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/library/dram_library.hpp"

namespace tilewave {
namespace {

Json latency_json(const LatencyHistogram& ticks, DramTick ticks_per_cycle) {
  const auto cycles = [&](auto latency) {
    return static_cast<double>(latency) / static_cast<double>(ticks_per_cycle);
  };
  return {{"mean", cycles(ticks.mean())},
          {"p50", cycles(ticks.percentile(0.5))},
          {"p99", cycles(ticks.percentile(0.99))},
          {"max", cycles(ticks.max())}};
}

void add_latencies(const DramRunResult& result, Json& report) {
  LatencyHistogram all = result.read_ticks;
  all += result.write_ticks;
  report["latency_cycles"] = latency_json(all, result.ticks_per_cycle);
  if (result.reads > 0 && result.writes > 0) {
    report["read_latency_cycles"] = latency_json(result.read_ticks, result.ticks_per_cycle);
    report["write_latency_cycles"] = latency_json(result.write_ticks, result.ticks_per_cycle);
  }
}

void add_counts(const DramCounts& counts, Json& report) {
  report["bursts"] = {{"read", counts.reads},
                      {"write", counts.writes},
                      {"forwarded_reads", counts.forwarded_reads},
                      {"merged_writes", counts.merged_writes}};
  report["row_hits"] = counts.row_hits;
  report["row_closed"] = counts.row_closed;
  report["row_conflicts"] = counts.row_conflicts;
  Json& commands = report["commands"];
  for (std::size_t c = 0; c < kDramCommands; ++c) {
    commands[std::string(to_string(static_cast<DramCommand>(c)))] = counts.commands[c];
  }
}

/// Of the data buses of each channel.
Json utilization_json(const DramParams& dram, const DramRunResult& result) {
  const double bus_cycles = static_cast<double>(dram.organisation.pseudo_channels) *
                            static_cast<double>(result.cycles) /
                            static_cast<double>(dram.timing("nBL"));
  double least = 1, most = 0, sum = 0;
  for (const DramCounts& counts : result.channels) {
    const double share = static_cast<double>(counts.reads + counts.writes) / bus_cycles;
    least = std::min(least, share);
    most = std::max(most, share);
    sum += share;
  }
  return {
      {"min", least}, {"mean", sum / static_cast<double>(result.channels.size())}, {"max", most}};
}

void add_energy(const DramRunResult& result, Bytes bytes, Json& report) {
  const DramEnergySplit& energy = result.energy;
  report["energy_j"] = energy.total();
  report["energy_parts_j"] = {{"activate", energy.activate}, {"read", energy.read},
                              {"write", energy.write},       {"io", energy.io},
                              {"refresh", energy.refresh},   {"background", energy.background}};
  report["average_power_w"] = energy.total() / result.seconds;
  report["pj_per_bit"] = energy.total() * 1e12 / (8 * static_cast<double>(bytes));
}

}  // namespace

Json dram_report(const DramRunRequest& request, const DramRunResult& result, const Json& traffic,
                 const DramRunHost& host) {
  const DramParams& dram = request.dram;
  const Bytes bytes = result.requests() * request.request_bytes;
  const double gb_per_s = static_cast<double>(bytes) * 1e-9 / result.seconds;
  Json report = {{"preset", dram.name},
                 {"memory", describe_dram(dram)},
                 {"channels", dram.organisation.channels},
                 {"clock_ghz", static_cast<double>(dram.clock().khz) / 1e6},
                 {"traffic", traffic},
                 {"request_bytes", request.request_bytes},
                 {"in_flight", request.in_flight},
                 {"requests", result.requests()},
                 {"reads", result.reads},
                 {"writes", result.writes},
                 {"wrapped_requests", result.wrapped},
                 {"bytes", bytes},
                 {"read_bytes", result.reads * request.request_bytes},
                 {"write_bytes", result.writes * request.request_bytes},
                 {"cycles", result.cycles},
                 {"time_s", result.seconds},
                 {"gb_per_s", gb_per_s},
                 {"peak_gb_per_s", dram.peak_gb_per_s()},
                 {"share_of_peak", gb_per_s / dram.peak_gb_per_s()}};
  add_latencies(result, report);
  add_counts(result.counts, report);
  report["refresh_share"] = refresh_share(dram, result.counts, result.cycles);
  report["channel_utilization"] = utilization_json(dram, result);
  add_energy(result, bytes, report);
  report["host"] = {{"fidelity", host.fidelity},
                    {"wall_s", host.wall_s},
                    {"requests_per_s",
                     host.wall_s > 0 ? static_cast<double>(result.requests()) / host.wall_s : 0.0}};
  return report;
}

}  // namespace tilewave
