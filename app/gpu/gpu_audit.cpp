// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <numeric>

#include "app/gpu/gpu_run_data.hpp"
#include "arch/core/sm/cta_plan.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

constexpr double kRelativeTolerance = 1e-9;

[[noreturn]] void violated(const char* law, const std::string& where, const std::string& how) {
  throw SimulationError(fmt::format("law violated: {} ({}): {}", law, where, how));
}

void equal(const char* law, const std::string& where, Count got, Count expected) {
  if (got != expected) violated(law, where, fmt::format("{} is not {}", got, expected));
}

}  // namespace

void audit_gpu(const GpuRunData& data) {
  const GpuParams& gpu = data.gpu();
  Cycle cycles = 0;
  for (std::size_t i = 0; i < data.ops(); ++i) {
    const std::string& name = data.request.workload.ops[i].name;
    const GpuLayer layer = layer_of(data, i);
    cycles += layer.cycles;
    Count macs = 0;
    Bytes loads = 0, stores = 0, over_link = 0;
    for (std::size_t k = data.lowered.first_kernel[i]; k < data.lowered.first_kernel[i + 1]; ++k) {
      const auto& kernel = data.lowered.program.kernels[k];
      const auto work = CtaPlan(gpu.sm, kernel).work_of(0, kernel.kernel.blocks());
      macs += kernel.times * work.macs;
      loads += kernel.times * work.load_bytes, stores += kernel.times * work.store_bytes;
      over_link += kernel.times * work.link_bytes;
      equal("blocks done = blocks of the grid", name, data.run.kernels[k].sms.blocks,
            kernel.times * kernel.kernel.blocks());
    }
    equal("macs conserved: those of the op's kernels", name, layer.sms.macs, data.lowered.macs[i]);
    equal("macs conserved: those of the program", name, layer.sms.macs, macs);
    equal("bytes conserved: loads", name, layer.memory.l2_read_bytes, loads);
    equal("bytes conserved: link between chips", name, layer.memory.chip_link_bytes, over_link);
    if (over_link > 0 && static_cast<double>(over_link) >
                             gpu.link_bytes_per_cycle() * static_cast<double>(layer.cycles)) {
      violated("link bound", name, fmt::format("{} bytes in {} cycles", over_link, layer.cycles));
    }
    equal("bytes conserved: stores", name, layer.memory.l2_write_bytes, stores);
    equal("cycles of all SMs are of one class each", name,
          std::accumulate(layer.sms.breakdown.begin(), layer.sms.breakdown.end(), Cycle{0}),
          layer.cycles * gpu.cores);
    if (data.request.fidelity == Fidelity::detailed) {
      equal("cycles of all sub-cores are of one class each", name,
            std::accumulate(layer.sms.sub_cores.begin(), layer.sms.sub_cores.end(), Cycle{0}),
            layer.cycles * gpu.cores * gpu.sm.sub_cores);
      equal("an instruction a cycle in which a sub-core issued", name,
            layer.sms.sub_cores[static_cast<std::size_t>(SubCoreCycle::issued)],
            layer.sms.instructions);
    }
    equal("breakdown sums to cycles", name,
          std::accumulate(layer.breakdown.begin(), layer.breakdown.end(), Cycle{0}), layer.cycles);
    const DataType type = data.request.workload.ops[i].dtype;
    const Count peak = gpu.peak_fma_per_cycle(type);
    if (layer.sms.macs > peak * layer.cycles) {
      violated("compute bound", name,
               fmt::format("{} MACs in {} cycles", layer.sms.macs, layer.cycles));
    }
  }
  equal("cycles conserved: layers sum to the total", "run", cycles, data.run.cycles);
  Bytes dram = 0;
  for (const auto& k : data.run.kernels) dram += k.memory.fill_bytes + k.memory.write_back_bytes;
  // What is under way when the run ends is counted already: as much as the queues hold, the L2 at most.
  const double most =
      gpu.dram_bytes_per_cycle() * static_cast<double>(data.run.cycles) * (1 + kRelativeTolerance) +
      static_cast<double>(gpu.l2.capacity_bytes);
  if (static_cast<double>(dram) > most) {
    violated("memory bound", "DRAM", fmt::format("{} bytes in {} cycles", dram, data.run.cycles));
  }
}

}  // namespace tilewave
