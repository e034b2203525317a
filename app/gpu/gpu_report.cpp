// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/gpu/gpu_run_data.hpp"
#include "app/report/all_chips_json.hpp"
#include "app/report/energy_json.hpp"
#include "app/report/process.hpp"
#include "sim/clock_domain.hpp"
#include "tilewave/version.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave {

namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0.0; }
double ratio(Count a, Count b) { return ratio(static_cast<double>(a), static_cast<double>(b)); }

class Writer {
 public:
  explicit Writer(const GpuRunData& run) : r_(run), clock_(run.gpu().clock()) {
    for (std::size_t i = 0; i < r_.ops(); ++i) layers_.push_back(layer_of(r_, i));
  }

  Json write() const {
    Json report;
    report["tilewave"] = {{"version", kVersion}};
    report["arch"] = to_json(r_.gpu());
    report["workload"] = to_json(r_.request.workload);
    report["fidelity"] = r_.request.fidelity == Fidelity::fast ? "fast" : "detailed";
    report["total"] = total();
    auto& layers = report["layers"] = Json::array();
    for (std::size_t i = 0; i < r_.ops(); ++i) layers.push_back(layer(i));
    report["timeline"] = timeline();
    report["host"] = {
        {"wall_s", r_.wall_s},
        {"simulated_cycles_per_s", ratio(static_cast<double>(r_.run.cycles), r_.wall_s)},
        {"events", r_.run.events},
        {"repeated_kernels", r_.run.kernels_repeated},
        {"peak_memory_bytes", peak_memory_bytes()}};
    return report;
  }

 private:
  [[nodiscard]] double seconds(Cycle cycles) const { return clock_.time_of(cycles).seconds(); }
  [[nodiscard]] DataType dtype(std::size_t i) const { return r_.request.workload.ops[i].dtype; }
  [[nodiscard]] double dram_peak() const { return r_.gpu().dram.bandwidth.gb_per_s(); }

  static Json breakdown_json(const SmBreakdown& breakdown) {
    Json json;
    for (std::size_t c = 0; c < kSmCycles; ++c) {
      json[std::string(to_string(static_cast<SmCycle>(c)))] = breakdown[c];
    }
    return json;
  }

  /// Of all sub-cores, added up.
  static Json sub_cores_json(const SmRecord& sms) {
    Json json;
    for (std::size_t c = 0; c < kSubCoreCycles; ++c) {
      json[std::string(to_string(static_cast<SubCoreCycle>(c)))] = sms.sub_cores[c];
    }
    return json;
  }

  [[nodiscard]] double utilization(Count macs, DataType type, Cycle cycles) const {
    return ratio(static_cast<double>(macs), static_cast<double>(r_.gpu().peak_fma_per_cycle(type)) *
                                                static_cast<double>(cycles));
  }

  /// What most cycles were; waiting for DRAM counts as such if the DRAM was busy for half of the time.
  [[nodiscard]] std::string_view bound(std::size_t i) const {
    const GpuLayer& l = layers_[i];
    const auto cycles = [&](SmCycle c) { return l.breakdown[static_cast<std::size_t>(c)]; };
    const Cycle data = cycles(SmCycle::wait_dram) + cycles(SmCycle::wait_l2);
    const Cycle latency = cycles(SmCycle::sync) + cycles(SmCycle::idle);
    const std::array<std::pair<std::string_view, Cycle>, 5> groups{{
        {"matrix", cycles(SmCycle::matrix_busy)},
        {"vector", cycles(SmCycle::vector_busy) + cycles(SmCycle::wait_store)},
        {"data", data},
        {"latency", latency},
        {"launch", cycles(SmCycle::launch)},
    }};
    const auto most = std::ranges::max_element(
        groups, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (2 * l.dram_busy_cycles >= static_cast<double>(l.cycles)) return "dram";
    const auto over_link = static_cast<double>(l.memory.chip_link_bytes);
    if (over_link > 0 &&
        2 * over_link >= r_.gpu().link_bytes_per_cycle() * static_cast<double>(l.cycles)) {
      return "link";
    }
    if (most->first != "data") return most->first;
    const double l2 = static_cast<double>(l.memory.l2_read_bytes + l.memory.l2_write_bytes) /
                      static_cast<double>(r_.gpu().l2.bytes_per_cycle());
    return 2 * l2 >= static_cast<double>(l.cycles) ? "l2" : "latency";
  }

  [[nodiscard]] Json traffic(const GpuLayer& l) const {
    const double time = seconds(l.cycles);
    const auto rate = [&](Bytes bytes) { return ratio(static_cast<double>(bytes) * 1e-9, time); };
    const GpuMemoryCounts& m = l.memory;
    const double dram = rate(m.fill_bytes + m.write_back_bytes);
    const double l2 = rate(m.l2_read_bytes + m.l2_write_bytes);
    const double l2_peak =
        static_cast<double>(r_.gpu().l2.bytes_per_cycle()) * r_.gpu().clock().hz() * 1e-9;
    const double shared = rate(l.sms.shared_bytes);
    const double shared_peak =
        static_cast<double>(r_.gpu().cores * r_.gpu().sm.load_store.shared_bytes_per_cycle) *
        r_.gpu().clock().hz() * 1e-9;
    Json json = {{"dram",
                  {{"read_bytes", m.fill_bytes},
                   {"write_bytes", m.write_back_bytes},
                   {"gb_per_s", dram},
                   {"utilization", ratio(dram, dram_peak())}}},
                 {"l2",
                  {{"read_bytes", m.l2_read_bytes},
                   {"write_bytes", m.l2_write_bytes},
                   {"hit_rate", ratio(m.l2_hit_bytes, m.l2_read_bytes)},
                   {"partition_link_bytes", m.link_bytes},
                   {"gb_per_s", l2},
                   {"utilization", ratio(l2, l2_peak)}}},
                 {"l1",
                  {{"read_bytes", l.sms.shared_bytes},
                   {"write_bytes", 0},
                   {"gb_per_s", shared},
                   {"utilization", ratio(shared, shared_peak)}}}};
    if (r_.gpu().links) {
      // As many are sent: it is the same bytes one chip further.
      const double link = rate(m.chip_link_bytes);
      json["link"] = {{"read_bytes", m.chip_link_bytes},
                      {"write_bytes", m.chip_link_bytes},
                      {"gb_per_s", link},
                      {"utilization", ratio(link, r_.gpu().links->ring_bandwidth().gb_per_s())}};
    }
    return json;
  }

  [[nodiscard]] Json layer(std::size_t i) const {
    const GpuLayer& l = layers_[i];
    const Op& op = r_.request.workload.ops[i];
    const OpFacts& facts = r_.lowered.facts[i];
    const GpuParams& gpu = r_.gpu();
    const Count slots = gpu.cores * std::max<Count>(1, l.occupancy.ctas);
    const double waves = ratio(l.longest_blocks, slots);
    const double peak = peak_tflops(i);
    const auto dram = static_cast<double>(l.memory.fill_bytes + l.memory.write_back_bytes);
    const double flops = static_cast<double>(facts.flops);
    Json json = {
        {"name", op.name},
        {"op", kind_name(op.shape)},
        {"dtype", to_string(op.dtype)},
        {"shape", to_json(op.shape)},
        {"kernel", r_.lowered.description(i)},
        {"kernels", l.kernels},
        {"start_cycle", l.start_cycle},
        {"cycles", l.cycles},
        {"time_s", seconds(l.cycles)},
        {"macs", l.sms.macs},
        {"flops", facts.flops},
        {"utilization", utilization(l.sms.macs, op.dtype, l.cycles)},
        {"mapping_efficiency", ratio(l.sms.macs, l.sms.macs_done)},
        {"ctas", l.ctas},
        {"blocks", l.longest_blocks},
        {"occupancy",
         {{"ctas_per_sm", l.occupancy.ctas},
          {"limited_by", to_string(l.occupancy.limit)},
          {"warps", l.occupancy.warps},
          {"theoretical", ratio(l.occupancy.warps, gpu.sm.max_warps)},
          {"achieved", ratio(static_cast<double>(l.sms.resident_warp_cycles),
                             static_cast<double>(gpu.cores * gpu.sm.max_warps * l.cycles))},
          {"waves", waves},
          {"tail", waves > 0 ? std::ceil(waves) - waves : 0.0}}},
        {"tensor_utilization", ratio(l.sms.tensor_cycles, gpu.cores * l.cycles)},
        {"issue_utilization", ratio(l.sms.instructions, gpu.cores * gpu.sm.sub_cores * l.cycles)},
        {"bound", bound(i)},
        {"roofline",
         {{"flops_per_byte", ratio(flops, dram)},
          {"limit_tflops", dram > 0 ? std::min(peak, flops / dram * dram_peak() * 1e-3) : peak}}},
        {"breakdown", breakdown_json(l.breakdown)},
        {"traffic", traffic(l)},
        {"energy_j", energy_json(r_.energy[i])}};
    if (r_.request.fidelity == Fidelity::detailed) json["sub_core_cycles"] = sub_cores_json(l.sms);
    return json;
  }

  [[nodiscard]] double peak_tflops(std::size_t i) const {
    const GpuParams& gpu = r_.gpu();
    const Count per_cycle = layers_[i].sms.macs > 0
                                ? 2 * gpu.peak_fma_per_cycle(dtype(i))
                                : gpu.cores * gpu.sm.sub_cores * gpu.sm.lanes.fp32;
    return static_cast<double>(per_cycle) * gpu.clock().hz() * 1e-12;
  }

  [[nodiscard]] Json timeline() const {
    const Timeline& t = r_.run.timeline;
    const Cycle end = r_.run.cycles, width = t.bin_cycles();
    const auto tensor = t.bins(GpuTimeline::tensor_cycles, end);
    const auto dram = t.bins(GpuTimeline::dram_bytes, end);
    const auto l2 = t.bins(GpuTimeline::l2_bytes, end);
    EnergySplit energy;
    for (const auto& e : r_.energy) energy += e;
    Json json = {{"bin_cycles", width},
                 {"matrix_utilization", Json::array()},
                 {"dram_gb_per_s", Json::array()},
                 {"l2_gb_per_s", Json::array()},
                 {"power_w", Json::array()}};
    const BinShares tensor_shares(tensor), l2_shares(l2), dram_shares(dram);
    for (std::size_t i = 0; end > 0 && i < tensor.size(); ++i) {
      const Cycle cycles = std::min(width, end - i * width);
      const double time = seconds(cycles), time_share = ratio(cycles, end);
      json["matrix_utilization"].push_back(tensor[i] /
                                           static_cast<double>(r_.gpu().cores * cycles));
      json["dram_gb_per_s"].push_back(dram[i] * 1e-9 / time);
      json["l2_gb_per_s"].push_back(l2[i] * 1e-9 / time);
      json["power_w"].push_back(
          ((energy.matrix + energy.register_file + energy.l1) * tensor_shares.of(i, time_share) +
           (energy.l2 + energy.interconnect) * l2_shares.of(i, time_share) +
           energy.dram * dram_shares.of(i, time_share) +
           (energy.vector + energy.leakage) * time_share) /
          time);
    }
    return json;
  }

  [[nodiscard]] Json total() const {
    Count macs = 0, flops = 0;
    double peak_time = 0;
    GpuMemoryCounts memory;
    SmBreakdown breakdown{};
    EnergySplit energy;
    for (std::size_t i = 0; i < r_.ops(); ++i) {
      macs += layers_[i].sms.macs;
      flops += r_.lowered.facts[i].flops;
      memory += layers_[i].memory;
      for (std::size_t c = 0; c < kSmCycles; ++c) breakdown[c] += layers_[i].breakdown[c];
      energy += r_.energy[i];
      const Count peak = r_.gpu().peak_fma_per_cycle(dtype(i));
      peak_time += ratio(layers_[i].sms.macs, peak);
    }
    const double time = seconds(r_.run.cycles);
    Json json = {
        {"cycles", r_.run.cycles},
        {"time_s", time},
        {"macs", macs},
        {"flops", flops},
        {"utilization", ratio(peak_time, static_cast<double>(r_.run.cycles))},
        {"achieved_tflops", ratio(static_cast<double>(flops) * 1e-12, time)},
        {"dram_read_bytes", memory.fill_bytes},
        {"dram_write_bytes", memory.write_back_bytes},
        {"dram_gb_per_s",
         ratio(static_cast<double>(memory.fill_bytes + memory.write_back_bytes) * 1e-9, time)},
        {"l2_read_bytes", memory.l2_read_bytes},
        {"l2_write_bytes", memory.l2_write_bytes},
        {"l2_hit_rate", ratio(memory.l2_hit_bytes, memory.l2_read_bytes)},
        {"l2_dirty_bytes", r_.run.dirty_bytes},
        {"dram_peak_gb_per_s", dram_peak()},
        {"energy_j", energy.total()},
        {"average_power_w", ratio(energy.total(), time)},
        {"layers", r_.ops()},
        {"kernels", r_.run.kernels.size()},
        {"breakdown", breakdown_json(breakdown)},
        {"energy_by_component_j", energy_json(energy)}};
    const GpuParams& gpu = r_.gpu();
    if (gpu.links) json["link_bytes"] = memory.chip_link_bytes;
    if (gpu.chips > 1) {
      json["all_chips"] = all_chips_json({.chips = gpu.chips,
                                          .macs = macs,
                                          .flops = flops,
                                          .link_bytes = memory.chip_link_bytes,
                                          .energy_j = energy.total(),
                                          .time_s = time,
                                          .peak_tflops = highest_peak_tflops()});
    }
    return json;
  }

  /// Of what ops multiply, or of the lanes.
  [[nodiscard]] double highest_peak_tflops() const {
    double peak = 0;
    for (std::size_t i = 0; i < r_.ops(); ++i) {
      peak = std::max(peak, peak_tflops(i));
    }
    return peak;
  }

  const GpuRunData& r_;
  ClockDomain clock_;
  std::vector<GpuLayer> layers_;
};

}  // namespace

Json write_gpu_report(const GpuRunData& data) { return Writer(data).write(); }

}  // namespace tilewave
