// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "app/report/all_chips_json.hpp"
#include "app/report/energy_json.hpp"
#include "app/report/l2_json.hpp"
#include "app/report/layer_bound.hpp"
#include "app/report/levels_json.hpp"
#include "app/report/process.hpp"
#include "app/report/run_data.hpp"
#include "app/report/timeline_json.hpp"
#include "app/report/values_json.hpp"
#include "sim/clock_domain.hpp"
#include "tilewave/version.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave {

namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0.0; }
double ratio(Count a, Count b) { return ratio(static_cast<double>(a), static_cast<double>(b)); }

/// "input", "second_input", "input_3", …
std::string input_key(std::size_t index) {
  if (index < 2) return index == 0 ? "input" : "second_input";
  return fmt::format("input_{}", index + 1);
}

class Writer {
 public:
  explicit Writer(const RunData& run) : r_(run), clock_(run.chip().clock()) {}

  Json write() const {
    Json report;
    report["tilewave"] = {{"version", kVersion}};
    report["arch"] = to_json(r_.chip());
    report["workload"] = to_json(r_.request.workload);
    report["fidelity"] = r_.request.fidelity == Fidelity::fast ? "fast" : "detailed";
    report["total"] = total();
    auto& layers = report["layers"] = Json::array();
    for (std::size_t i = 0; i < r_.layers(); ++i) layers.push_back(layer(i));
    report["timeline"] = timeline_json(r_);
    report["statistics"] = r_.run.statistics;
    report["host"] = {
        {"wall_s", r_.wall_s},
        {"simulated_cycles_per_s", ratio(static_cast<double>(r_.run.cycles), r_.wall_s)},
        {"events", r_.run.events},
        {"replayed_bursts", r_.run.replayed_bursts},
        {"repeated_kernels", r_.run.kernels_repeated},
        {"peak_memory_bytes", peak_memory_bytes()}};
    return report;
  }

 private:
  [[nodiscard]] double seconds(Cycle cycles) const { return clock_.time_of(cycles).seconds(); }
  /// Share of the cycles' multipliers that did work; types that take several passes count them.
  [[nodiscard]] double utilization(double full_rate_macs, Cycle cycles) const {
    return ratio(full_rate_macs, static_cast<double>(r_.chip().peak_macs_per_cycle()) *
                                     static_cast<double>(cycles));
  }

  [[nodiscard]] Json breakdown_json(const std::array<Cycle, kCycleClasses>& breakdown) const {
    Json json;
    for (std::size_t c = 0; c < kCycleClasses; ++c) {
      const auto cycle_class = static_cast<CycleClass>(c);
      if (cycle_class == CycleClass::wait_link && !r_.chip().links) continue;
      json[std::string(to_string(cycle_class))] = breakdown[c];
    }
    return json;
  }

  [[nodiscard]] Json link_json(Bytes read, Bytes write, Bytes in_window, Cycle cycles,
                               double peak_gb_per_s) const {
    const double gb_per_s = ratio(static_cast<double>(in_window) * 1e-9, seconds(cycles));
    return {{"read_bytes", read},
            {"write_bytes", write},
            {"gb_per_s", gb_per_s},
            {"utilization", ratio(gb_per_s, peak_gb_per_s)}};
  }

  [[nodiscard]] double dram_peak() const {
    return r_.chip().dram.ideal ? 0.0 : r_.chip().dram.bandwidth.gb_per_s();
  }
  [[nodiscard]] double host_peak() const {
    return r_.chip().host ? 2 * r_.chip().host->bandwidth.gb_per_s() : 0.0;
  }

  [[nodiscard]] double link_peak() const {
    return r_.chip().links ? r_.chip().links->ring_bandwidth().gb_per_s() : 0.0;
  }

  [[nodiscard]] Json layer(std::size_t i) const {
    const LayerRecord& l = r_.run.layers[i];
    const Op& op = r_.request.workload.ops[i];
    const OpFacts& facts = r_.lowered.facts[i];
    const auto& array = r_.chip().core.matrix.array;
    Json json = {{"name", op.name},
                 {"op", kind_name(op.shape)},
                 {"dtype", to_string(op.dtype)},
                 {"shape", to_json(op.shape)},
                 {"kernel", r_.lowered.description(i)},
                 {"start_cycle", l.start_cycle},
                 {"cycles", l.cycles()},
                 {"time_s", seconds(l.cycles())},
                 {"macs", l.macs},
                 {"flops", r_.lowered.skipped[i] ? 0 : facts.flops},
                 {"utilization", utilization(r_.full_rate_macs(i), l.cycles())},
                 {"mapping_efficiency",
                  array.cube ? ratio(l.macs, l.block_macs)
                             : ratio(l.mapped_pe_folds, l.folds * array.rows * array.cols)},
                 {"folds", l.folds},
                 {"bound", to_string(bound_of(r_, i))},
                 {"roofline", roofline(i)},
                 {"breakdown", breakdown_json(l.breakdown)},
                 {"traffic", traffic(l)},
                 {"tensors", tensors(i)},
                 {"energy_j", energy_json(r_.energy[i])},
                 {"predicted_cycles", r_.lowered.predicted_cycles[i]}};
    if (array.cube) json["levels"] = levels_json(l, r_.chip(), op.dtype, l.cycles());
    if (const auto& values = r_.lowered.program.kernels[r_.lowered.first_kernel[i]].values) {
      json["values"] = values_json(*values);
    }
    return json;
  }

  [[nodiscard]] Json traffic(const LayerRecord& l) const {
    Json json;
    const MemoryBytes dram = dram_bytes(l, r_.chip());
    json["dram"] = link_json(dram.read, dram.write, l.window_dram_bytes, l.cycles(), dram_peak());
    if (r_.chip().dram.controllers) {
      add_rows(json["dram"], l.window_dram, r_.chip().dram.controllers->organisation.burst_bytes());
    }
    if (r_.chip().host) {
      json["host"] = link_json(l.host_read_bytes, l.host_write_bytes, l.window_host_bytes,
                               l.cycles(), host_peak());
    }
    if (r_.chip().links) {
      // As many are sent: it is the same bytes one chip further.
      json["link"] =
          link_json(l.link_bytes, l.link_bytes, l.window_link_bytes, l.cycles(), link_peak());
    }
    if (r_.chip().l2) {
      json["l2"] = l2_json(l.window_l2, r_.chip(), l.cycles());
      json["interconnect"] = interconnect_json(l.window_l2, l.cycles());
    }
    json["l1"] = {
        {"read_bytes", l.activation_read_bytes + l.weight_read_bytes + l.accumulator_read_bytes},
        {"write_bytes",
         l.activation_write_bytes + l.weight_write_bytes + l.accumulator_write_bytes}};
    json["activation"] = {{"read_bytes", l.activation_read_bytes},
                          {"write_bytes", l.activation_write_bytes}};
    json["weight"] = {{"read_bytes", l.weight_read_bytes}, {"write_bytes", l.weight_write_bytes}};
    json["accumulator"] = {{"read_bytes", l.accumulator_read_bytes},
                           {"write_bytes", l.accumulator_write_bytes}};
    return json;
  }

  /// What the DRAM's banks did in the layer's time (transfers that ran ahead of it are in the layer
  /// before).
  static void add_rows(Json& json, const DramCounts& c, Bytes burst_bytes) {
    json["burst_bytes"] = (c.reads + c.writes) * burst_bytes;
    json["row_hit_rate"] =
        ratio(static_cast<double>(c.row_hits), static_cast<double>(c.row_accesses()));
    json["row_hits"] = c.row_hits;
    json["row_closed"] = c.row_closed;
    json["row_conflicts"] = c.row_conflicts;
    for (std::size_t i = 0; i < kDramCommands; ++i) {
      if (c.commands[i] > 0) {
        json["commands"][std::string(to_string(static_cast<DramCommand>(i)))] = c.commands[i];
      }
    }
  }

  /// Arithmetic intensity over the bytes that crossed the chip's border, and the ceiling there.
  [[nodiscard]] Json roofline(std::size_t i) const {
    const LayerRecord& l = r_.run.layers[i];
    const double flops = static_cast<double>(r_.lowered.skipped[i] ? 0 : r_.lowered.facts[i].flops);
    const auto dram = static_cast<double>(dram_bytes(l, r_.chip()).sum());
    const double host = static_cast<double>(std::max(l.host_read_bytes, l.host_write_bytes));
    const double peak = peak_tflops(i);
    double limit = peak;
    const auto cap = [&](double bytes, double gb_per_s) {
      if (bytes > 0 && gb_per_s > 0) limit = std::min(limit, flops / bytes * gb_per_s * 1e-3);
    };
    cap(dram, dram_peak());
    cap(static_cast<double>(l.link_bytes), link_peak());
    cap(host, r_.chip().host ? r_.chip().host->bandwidth.gb_per_s() : 0.0);
    const double bytes =
        dram + static_cast<double>(l.host_read_bytes) + static_cast<double>(l.host_write_bytes);
    return {{"flops_per_byte", ratio(flops, bytes)}, {"limit_tflops", limit}};
  }

  /// Of the units that do the op's work: arrays, or vector lanes.
  [[nodiscard]] double peak_tflops(std::size_t i) const {
    const double per_cycle =
        r_.run.layers[i].macs > 0
            ? 2.0 * static_cast<double>(r_.chip().peak_macs_per_cycle() * r_.speed(i)) /
                  static_cast<double>(r_.passes(i))
            : r_.chip().vector_operations_per_cycle();
    return per_cycle * r_.chip().clock().hz() * 1e-12;
  }

  /// Where each operand was: "dram", "host" or "on_chip".
  [[nodiscard]] Json tensors(std::size_t i) const {
    const OpTensors& t = r_.lowered.tensors.ops[i];
    const auto& ops = r_.request.workload.ops;
    const auto producer = [&](int index) {
      return index < 0 ? std::string("input") : ops[static_cast<std::size_t>(index)].name;
    };
    Json json;
    for (std::size_t k = 0; k < t.inputs.size(); ++k) {
      const InputTensor& input = t.inputs[k];
      json[input_key(k)] = {{"from", producer(input.producer)},
                            {"at", to_string(input.place.space)},
                            {"bytes", input.place.bytes}};
    }
    if (t.weights.bytes > 0) {
      json["weights"] = {{"at", to_string(t.weights.space)}, {"bytes", t.weights.bytes}};
    }
    json["output"] = {{"at", to_string(t.output.space)}, {"bytes", t.output.bytes}};
    json["resident_bytes"] = t.resident_bytes;
    return json;
  }

  /// Results that stay on chip, and the bytes that need not move for it: each is written once and
  /// read by every reader otherwise.
  [[nodiscard]] std::pair<Count, Bytes> residency() const {
    Count kept = 0;
    Bytes saved = 0;
    for (std::size_t i = 0; i < r_.layers(); ++i) {
      const OpTensors& t = r_.lowered.tensors.ops[i];
      if (t.output.on_chip()) {
        ++kept;
        saved += t.output.bytes;
      }
      for (std::size_t k = 0; k < t.inputs.size(); ++k) {
        if (t.inputs[k].place.on_chip()) saved += r_.lowered.facts[i].inputs[k].bytes;
      }
    }
    return {kept, saved};
  }

  [[nodiscard]] double peak_tflops() const {
    return 2.0 * static_cast<double>(r_.chip().peak_macs_per_cycle()) * r_.chip().clock().hz() *
           1e-12;
  }

  [[nodiscard]] Json total() const {
    Count macs = 0, flops = 0;
    double full_rate_macs = 0;
    MemoryBytes dram;
    DramCounts rows;
    SharedCacheCounts l2;
    Bytes host_read = 0, host_write = 0, weights = 0, link = 0;
    std::array<Cycle, kCycleClasses> breakdown{};
    EnergySplit energy;
    for (std::size_t i = 0; i < r_.layers(); ++i) {
      const LayerRecord& l = r_.run.layers[i];
      macs += l.macs;
      full_rate_macs += r_.full_rate_macs(i);
      if (!r_.lowered.skipped[i]) flops += r_.lowered.facts[i].flops;
      const MemoryBytes layer_dram = dram_bytes(l, r_.chip());
      dram.read += layer_dram.read, dram.write += layer_dram.write;
      rows += l.window_dram;
      l2 += l.window_l2;
      link += l.link_bytes;
      host_read += l.host_read_bytes, host_write += l.host_write_bytes;
      weights += r_.lowered.facts[i].weight_bytes;
      for (std::size_t c = 0; c < kCycleClasses; ++c) breakdown[c] += l.breakdown[c];
      energy += r_.energy[i];
    }
    const double time = seconds(r_.run.cycles);
    Json json = {{"cycles", r_.run.cycles},
                 {"time_s", time},
                 {"macs", macs},
                 {"flops", flops},
                 {"utilization", utilization(full_rate_macs, r_.run.cycles)},
                 {"achieved_tflops", ratio(static_cast<double>(flops) * 1e-12, time)},
                 {"dram_read_bytes", dram.read},
                 {"dram_write_bytes", dram.write},
                 {"dram_gb_per_s", ratio(static_cast<double>(dram.sum()) * 1e-9, time)},
                 {"host_read_bytes", host_read},
                 {"host_write_bytes", host_write},
                 {"weight_bytes", weights},
                 {"energy_j", energy.total()},
                 {"average_power_w", ratio(energy.total(), time)},
                 {"layers", r_.layers()},
                 {"breakdown", breakdown_json(breakdown)},
                 {"energy_by_component_j", energy_json(energy)}};
    if (r_.chip().links) json["link_bytes"] = link;
    if (r_.chip().chips > 1) {
      json["all_chips"] = all_chips_json({.chips = r_.chip().chips,
                                          .macs = macs,
                                          .flops = flops,
                                          .link_bytes = link,
                                          .energy_j = energy.total(),
                                          .time_s = time,
                                          .peak_tflops = peak_tflops()});
    }
    if (r_.chip().core.matrix.array.cube && r_.layers() > 0) {
      LayerRecord sum = r_.run.layers.front();
      for (std::size_t i = 1; i < r_.layers(); ++i) sum += r_.run.layers[i];
      json["levels"] =
          levels_json(sum, r_.chip(), r_.request.workload.ops.front().dtype, r_.run.cycles);
    }
    const auto [kept, saved] = residency();
    json["kept_results"] = kept;
    json["kept_saved_bytes"] = saved;
    if (dram_peak() > 0) json["dram_peak_gb_per_s"] = dram_peak();
    if (r_.chip().dram.controllers) {
      json["dram_row_hit_rate"] =
          ratio(static_cast<double>(rows.row_hits), static_cast<double>(rows.row_accesses()));
    }
    if (r_.chip().l2) {
      json["l2_read_bytes"] = l2.read_bytes;
      json["l2_write_bytes"] = l2.write_bytes;
      json["l2_hit_rate"] = ratio(l2.outcome(CacheOutcome::hit), l2.lookups);
    }
    return json;
  }

  const RunData& r_;
  ClockDomain clock_;
};

}  // namespace

Json write_report(const RunData& run) { return Writer(run).write(); }

}  // namespace tilewave
