// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "arch/chip/links_config.hpp"
#include "arch/chip/main_memory_params.hpp"
#include "arch/core/sm/sm_params.hpp"
#include "arch/energy/energy_account.hpp"
#include "arch/memory/shared_l2/shared_l2_params.hpp"
#include "arch/program/gpu_target.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// How kernels follow one another: launched op by op, or captured in a graph that is launched once.
enum class LaunchMode { graph, stream };

/// Resolved description of a GPU: every default filled in, every unit in its name.
struct GpuParams {
  std::string name;
  double clock_ghz = 0;
  Count cores = 1;  ///< SMs
  SmParams sm;
  SharedL2Params l2;
  MainMemoryParams dram;
  /// Share of the DRAM's peak that long streams get: refresh, activations, turnarounds.
  double dram_sustained_share = 1.0;
  LaunchMode launch_mode = LaunchMode::stream;
  double launch_overhead_us = 0;    ///< before the first CTA of an op (graph: of the first op)
  double kernel_gap_us = 0;         ///< between kernels of an op (graph: of all)
  std::string gemm_kernel;          ///< of all products, in words; empty: the fastest of each
  Count chips = 1;                  ///< all alike, in a ring; one of them is simulated
  std::optional<LinkParams> links;  ///< between them
  ChipShares shares;
  std::string energy;  ///< technology: a file of configs/energy

  [[nodiscard]] Frequency clock() const { return Frequency::from_ghz(clock_ghz); }
  [[nodiscard]] Cycle cycles_of_us(double us) const;
  [[nodiscard]] double dram_bytes_per_cycle() const;
  [[nodiscard]] double link_bytes_per_cycle() const;
  [[nodiscard]] double link_latency_cycles() const;
  [[nodiscard]] Count batch_shares() const { return shares.total_batch ? chips : 1; }
  [[nodiscard]] Count peak_fma_per_cycle(DataType type) const {
    return cores * sm.peak_fma_per_cycle(type);
  }
  [[nodiscard]] PoweredUnits powered_units() const;
  [[nodiscard]] GpuTarget target() const;
};

/// Is this a machine of SMs ("core.type" is "sm")?
[[nodiscard]] bool is_gpu(const Json& machine);
[[nodiscard]] GpuParams read_gpu(ObjectReader& reader);
[[nodiscard]] Json to_json(const GpuParams& gpu);

}  // namespace tilewave
