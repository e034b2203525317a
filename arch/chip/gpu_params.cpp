// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/gpu_params.hpp"

#include <cmath>

#include "arch/core/sm/cta_costs.hpp"
#include "arch/core/sm/occupancy.hpp"

namespace tilewave {

namespace {

program::MmaUnit unit_of(const SmParams& sm) {
  if (!sm.tensor) return program::MmaUnit::none;
  switch (sm.tensor->kind) {
    case MmaKind::mma:
      return program::MmaUnit::mma;
    case MmaKind::wgmma:
      return program::MmaUnit::wgmma;
    case MmaKind::tcgen05:
      return program::MmaUnit::tcgen05;
  }
  return program::MmaUnit::none;
}

}  // namespace

Cycle GpuParams::cycles_of_us(double us) const {
  return static_cast<Cycle>(std::llround(us * clock().hz() * 1e-6));
}

double GpuParams::dram_bytes_per_cycle() const {
  return static_cast<double>(dram.bandwidth.bytes_per_s) * dram_sustained_share / clock().hz();
}

double GpuParams::link_bytes_per_cycle() const {
  return links ? static_cast<double>(links->ring_bandwidth().bytes_per_s) / clock().hz() : 0;
}

double GpuParams::link_latency_cycles() const {
  return links ? links->latency_ns * clock().ghz() : 0;
}

PoweredUnits GpuParams::powered_units() const {
  Count most = 0;
  if (sm.tensor) {
    for (const auto& [type, rate] : sm.tensor->fma_per_cycle) most = std::max(most, rate);
  }
  return {.clock = clock(),
          .sram_bytes = cores * (sm.l1_shared_bytes + sm.registers_bytes) + l2.capacity_bytes,
          .pes = cores * sm.sub_cores * most,
          .vector_lanes = cores * sm.sub_cores * sm.lanes.fp32,
          .dram_kind = dram.kind,
          .host_link = {}};
}

GpuTarget GpuParams::target() const {
  GpuTarget t;
  t.cores = cores;
  t.warp_lanes = sm.warp_lanes;
  t.max_shared_bytes = sm.max_shared_bytes - sm.reserved_shared_bytes;
  t.max_cluster = sm.max_cluster;
  t.has_copy_engine = sm.load_store.copy == CopyKind::tma;
  t.has_async_copy = sm.load_store.copy != CopyKind::registers;
  t.mma_unit = unit_of(sm);
  t.dram_bytes_per_cycle = dram_bytes_per_cycle();
  t.l2_bytes_per_cycle = static_cast<double>(l2.bytes_per_cycle());
  t.sm_bytes_per_cycle = static_cast<double>(sm.load_store.l2_read_bytes_per_cycle);
  t.load_latency_cycles =
      static_cast<double>(l2.latency_cycles + sm.load_store.copy_latency_cycles) +
      static_cast<double>(l2.far_latency_cycles) / 2 + dram.latency_ns * clock().ghz();
  t.launch_cycles = cycles_of_us(launch_overhead_us);
  t.kernel_gap_cycles = cycles_of_us(kernel_gap_us);
  t.captured_graph = launch_mode == LaunchMode::graph;
  t.gemm_kernel = gemm_kernel;
  t.fma_per_cycle = [sm = sm](DataType type, program::MmaUnit unit) -> Count {
    return unit == program::MmaUnit::lanes ? sm.lane_fma_per_cycle(type).value_or(0)
                                           : sm.tensor_fma_per_cycle(type).value_or(0);
  };
  t.slab_cycles = [sm = sm](const program::Cta& cta, DataType type, Count bm, Count bn, Count bk) {
    const UnitCycles cycles = tile_costs(sm, cta, type, bm, bn, bk).cycles;
    return GpuTarget::SlabCycles{.of_sm = cycles.longest_shared(), .of_cta = cycles.least};
  };
  t.epilogue_cycles = [sm = sm](const program::Cta& cta, Count sums, Bytes bytes) {
    return store_costs(sm, cta, sums, bytes).longest();
  };
  t.ctas_per_sm = [sm = sm](const program::Cta& cta) { return occupancy(sm, cta).ctas; };
  return t;
}

}  // namespace tilewave
