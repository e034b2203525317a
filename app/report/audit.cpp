// SPDX-License-Identifier: Apache-2.0
#include "app/report/audit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/clock_domain.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

/// Rounding of sums of doubles.
constexpr double kRelativeTolerance = 1e-9;

class Audit {
 public:
  explicit Audit(const RunData& run) : r_(run) {}

  void check() const {
    Cycle cycles = 0;
    Count macs = 0;
    for (std::size_t i = 0; i < r_.layers(); ++i) {
      layer(i);
      cycles += r_.run.layers[i].cycles();
      macs += r_.run.layers[i].macs;
    }
    equal("cycles conserved: layers sum to the total", "run", cycles, r_.run.cycles);
    equal("macs conserved: the arrays' own count", "run", r_.run.array_macs, macs);
    memory_bound();
    if (r_.chip().l2) l2();
    for (std::size_t i = 0; i < r_.layers(); ++i) layer_windows(i);
  }

 private:
  [[noreturn]] static void violated(const std::string& law, const std::string& where,
                                    const std::string& figures) {
    throw SimulationError(fmt::format("law violated: {} ({}): {}", law, where, figures));
  }
  static void equal(const std::string& law, const std::string& where, Count a, Count b) {
    if (a != b) violated(law, where, fmt::format("{} is not {}", a, b));
  }
  static void at_least(const std::string& law, const std::string& where, Count value, Count bound) {
    if (value < bound) violated(law, where, fmt::format("{} is less than {}", value, bound));
  }

  void layer(std::size_t i) const {
    const LayerRecord& l = r_.run.layers[i];
    const OpFacts& facts = r_.lowered.facts[i];
    const std::string& name = r_.request.workload.ops[i].name;
    const program::Work work = programmed(i);

    equal("macs conserved: executed and programmed", name, l.macs, work.macs);
    if (!r_.lowered.skipped[i]) {
      const std::string law = "macs conserved: executed and the op's";
      // Arrays multiply masked scores, too.
      const auto* attention = std::get_if<Attention>(&r_.request.workload.ops[i].shape);
      if (attention != nullptr && (attention->causal || attention->window > 0)) {
        at_least(law, name, l.macs, facts.macs);
      } else {
        equal(law, name, l.macs, facts.macs);
      }
    }
    equal("bytes conserved: DRAM reads", name, l.dram_read_bytes, work.dram_read_bytes);
    equal("bytes conserved: DRAM writes", name, l.dram_write_bytes, work.dram_write_bytes);
    equal("bytes conserved: host reads", name, l.host_read_bytes, work.host_read_bytes);
    equal("bytes conserved: host writes", name, l.host_write_bytes, work.host_write_bytes);
    equal("bytes conserved: links", name, l.link_bytes, work.link_bytes);
    if (!r_.lowered.skipped[i]) compulsory(i, name);

    at_least("array bound", name, l.cycles(),
             ceil_div(l.macs * r_.passes(i), r_.chip().peak_macs_per_cycle() * r_.speed(i)));
    equal("cycles conserved: the breakdown sums to the layer", name,
          std::accumulate(l.breakdown.begin(), l.breakdown.end(), Cycle{0}), l.cycles());
    energy(i, name);
  }

  /// What the kernels of op i are to do.
  [[nodiscard]] program::Work programmed(std::size_t i) const {
    program::Work sum;
    const auto& first = r_.lowered.first_kernel;
    for (auto k = first[i]; k < first[i + 1]; ++k) {
      const program::Work work = program::count_work(r_.lowered.program.kernels[k]);
      sum.macs += work.macs;
      sum.dram_read_bytes += work.dram_read_bytes, sum.dram_write_bytes += work.dram_write_bytes;
      sum.link_bytes += work.link_bytes;
      sum.host_read_bytes += work.host_read_bytes, sum.host_write_bytes += work.host_write_bytes;
    }
    return sum;
  }

  void layer_windows(std::size_t i) const {
    const LayerRecord& l = r_.run.layers[i];
    const std::string& name = r_.request.workload.ops[i].name;
    window(name, "DRAM", l.window_dram_bytes, l.cycles(),
           r_.chip().dram.ideal ? 0.0 : r_.chip().dram.bandwidth.gb_per_s());
    window(name, "host link", l.window_host_bytes, l.cycles(),
           r_.chip().host ? 2 * r_.chip().host->bandwidth.gb_per_s() : 0.0);
    window(name, "link between chips", l.window_link_bytes, l.cycles(),
           r_.chip().links ? r_.chip().links->ring_bandwidth().gb_per_s() : 0.0);
  }

  /// No link above its peak in any layer's time; a byte of rounding at each end.
  void window(const std::string& name, const char* link, Bytes bytes, Cycle cycles,
              double peak_gb_per_s) const {
    if (peak_gb_per_s <= 0) return;
    const double seconds = static_cast<double>(cycles) / r_.chip().clock().hz();
    if (static_cast<double>(bytes) > peak_gb_per_s * 1e9 * seconds * (1 + kRelativeTolerance) + 4) {
      violated("memory bound in a layer", name,
               fmt::format("{} bytes over the {} in {} cycles", bytes, link, cycles));
    }
  }

  void compulsory(std::size_t i, const std::string& name) const {
    const LayerRecord& l = r_.run.layers[i];
    const OpFacts& facts = r_.lowered.facts[i];
    const OpTensors& tensors = r_.lowered.tensors.ops[i];
    Bytes reads = facts.weight_bytes, writes = 0;
    for (std::size_t k = 0; k < facts.inputs.size(); ++k) {
      const bool is_read = k == 0 || r_.chip().core.vector.has_value();
      if (is_read && !tensors.inputs[k].place.on_chip()) reads += facts.inputs[k].bytes;
    }
    if (!tensors.output.on_chip()) writes += facts.output_bytes;
    at_least("compulsory bytes: reads", name, l.dram_read_bytes + l.host_read_bytes, reads);
    at_least("compulsory bytes: writes", name, l.dram_write_bytes + l.host_write_bytes, writes);
  }

  void energy(std::size_t i, const std::string& name) const {
    const EnergySplit& e = r_.energy[i];
    for (const double part :
         {e.matrix, e.vector, e.register_file, e.l1, e.l2, e.dram, e.interconnect, e.leakage}) {
      if (!std::isfinite(part) || part < 0) {
        violated("energy is a number and not negative", name, fmt::format("{}", part));
      }
    }
  }

  /// What a layer's DRAM bytes took of the channels: of controllers, some reads are answered from
  /// the queue of writes, and some writes replace others there. With an L2 these are not rare.
  [[nodiscard]] Bytes channel_bytes(const LayerRecord& l) const {
    const Bytes bytes = dram_bytes(l, r_.chip()).sum();
    const auto& controllers = r_.chip().dram.controllers;
    if (!r_.chip().l2 || !controllers) return bytes;
    const Count queued = l.window_dram.forwarded_reads + l.window_dram.merged_writes;
    return bytes - std::min(bytes, queued * controllers->organisation.burst_bytes());
  }

  /// Between the core, the L2 and the memory nothing is lost, over the run.
  void l2() const {
    SharedCacheCounts sum;
    Bytes read = 0, write = 0;
    for (std::size_t i = 0; i < r_.layers(); ++i) {
      const LayerRecord& l = r_.run.layers[i];
      read += l.dram_read_bytes, write += l.dram_write_bytes;
      sum += l.window_l2;
      equal("L2: hits + sector misses + misses + merges = look-ups",
            r_.request.workload.ops[i].name,
            std::accumulate(l.window_l2.outcomes.begin(), l.window_l2.outcomes.end(), Count{0}),
            l.window_l2.lookups);
    }
    equal("L2: bytes read = bytes asked for by the DMA", "run", sum.read_bytes, read);
    equal("L2: bytes written = bytes given by the DMA", "run", sum.write_bytes, write);
    equal("L2: bytes read from DRAM = bytes of fills", "run", sum.memory_read_bytes,
          sum.fill_bytes);
    // Some may still be on their way when the run ends.
    at_least("L2: bytes written to DRAM <= bytes of write-backs and writes through", "run",
             sum.write_back_bytes + sum.write_through_bytes, sum.memory_write_bytes);
  }

  void memory_bound() const {
    Bytes dram = 0, in = 0, out = 0, received = 0;
    for (const LayerRecord& l : r_.run.layers) {
      dram += channel_bytes(l);
      received += l.link_bytes;
      in += l.host_read_bytes;
      out += l.host_write_bytes;
    }
    const double seconds =
        ClockDomain(r_.chip().clock()).time_of(r_.run.cycles).seconds() * (1 + kRelativeTolerance);
    const auto within = [&](const char* link, Bytes bytes, Bandwidth bandwidth) {
      if (static_cast<double>(bytes) > static_cast<double>(bandwidth.bytes_per_s) * seconds) {
        violated(
            "memory bound", link,
            fmt::format("{} bytes in {} s exceed {} GB/s", bytes, seconds, bandwidth.gb_per_s()));
      }
    };
    if (!r_.chip().dram.ideal) within("DRAM", dram, r_.chip().dram.bandwidth);
    if (r_.chip().links) within("link between chips", received, r_.chip().links->ring_bandwidth());
    if (r_.chip().host) {
      within("host link, in", in, r_.chip().host->bandwidth);
      within("host link, out", out, r_.chip().host->bandwidth);
    }
  }

  const RunData& r_;
};

}  // namespace

void audit(const RunData& run) { Audit(run).check(); }

namespace {

void require_finite(const Json& value, const std::string& path) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw SimulationError("law violated: every number of the report is finite (" + path + ")");
  }
  if (!value.is_structured()) return;
  for (const auto& [key, member] : value.items()) require_finite(member, path + "/" + key);
}

void require_equal_energy(const std::string& what, double sum, double total) {
  if (std::abs(sum - total) <= kRelativeTolerance * std::abs(total)) return;
  throw SimulationError(
      fmt::format("law violated: energy conserved ({}): {} is not {}", what, sum, total));
}

}  // namespace

void audit_report(const Json& report) {
  require_finite(report, "");
  const double total = report["total"]["energy_j"].get<double>();
  double layers = 0, components = 0;
  for (const Json& layer : report["layers"]) {
    for (const Json& part : layer["energy_j"]) layers += part.get<double>();
  }
  for (const Json& part : report["total"]["energy_by_component_j"]) {
    components += part.get<double>();
  }
  require_equal_energy("layers", layers, total);
  require_equal_energy("components", components, total);
}

}  // namespace tilewave
