// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "arch/chip/link_params.hpp"
#include "arch/chip/main_memory_params.hpp"
#include "arch/core/systolic_core_params.hpp"
#include "arch/energy/energy_account.hpp"
#include "arch/memory/cache/cache_params.hpp"
#include "arch/memory/interconnect/interconnect_params.hpp"
#include "arch/memory/simple_memory.hpp"
#include "arch/program/parallelism.hpp"
#include "arch/program/systolic_target.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Link to the host: as fast in each direction.
struct HostParams {
  std::string type;
  Bandwidth bandwidth{};
  double latency_ns = 0;
};

/// A cache between the core's DMA and the off-chip memory, and what connects them.
struct L2Params {
  CacheParams cache;
  InterconnectParams interconnect;
  double wire_length_mm = 0;  ///< of a link of the interconnect; 0: its energy is not counted

  [[nodiscard]] Bytes bank_bytes() const noexcept {
    return cache.capacity_bytes / cache.slices / cache.banks;
  }
  /// Most that all slices deliver.
  [[nodiscard]] Bytes bytes_per_cycle() const noexcept {
    return cache.slices * cache.bytes_per_cycle();
  }
};

inline constexpr Count kMostCores = 1024;

/// Resolved description of a machine: every default filled in, every unit in its name.
struct ChipParams {
  std::string name;
  double clock_ghz = 0;
  Count chips = 1;  ///< all alike; what is simulated is one of them
  Count cores = 1;  ///< of a chip
  SystolicCoreParams core;
  std::optional<L2Params> l2;
  MainMemoryParams dram;
  std::optional<HostParams> host;
  std::optional<LinkParams> links;
  double launch_overhead_us = 0;  ///< before an op's first instruction
  bool transfers_in_launch = false;
  std::string energy;  ///< technology: a file of configs/energy
  // mapping
  Parallelism parallel = Parallelism::none;  ///< of the chips
  bool total_batch = false;                  ///< chips share a network's batch (data parallelism)
  bool keep_results = true;                  ///< results stay on chip between ops if they fit
  bool tiled_weights = true;        ///< weights lie in memory tile by tile, as they are fetched
  bool whole_weight_tiles = false;  ///< tiles at the edges are padded there and fetched whole
  bool whole_host_results = false;  ///< results leave over the host link once all are on chip
  Bytes tensor_alignment_bytes = 4096;
  LayoutTile layout_tile;
  bool separate_taps = false;     ///< a tile of a convolution's weights is of one filter tap
  bool fusion = true;             ///< epilogues are part of the product's kernel
  Count core_split_macs = 0;      ///< products of fewer multiply-accumulates stay on one core
  Count split_k = 0;              ///< parts of a product's k, on a core each; 0: the mapper chooses
  Count core_split_elements = 0;  ///< vector work on fewer numbers stays on one core
  bool separate_reductions = false;  ///< a reduction over rows ends a launch
  bool serial_windows = false;  ///< operands come in by windows, nothing moves while work is done

  /// Chips that share a network's batch: each does so many times less of it.
  [[nodiscard]] Count batch_shares() const { return total_batch ? chips : 1; }
  [[nodiscard]] Frequency clock() const { return Frequency::from_ghz(clock_ghz); }
  [[nodiscard]] Count peak_macs_per_cycle() const { return cores * core.peak_macs_per_cycle(); }
  [[nodiscard]] Count vector_lanes() const { return core.vector ? cores * core.vector->lanes : 0; }
  /// Most that the lanes do together.
  [[nodiscard]] double vector_operations_per_cycle() const;
  [[nodiscard]] Cycle launch_cycles() const;
  /// What a stream can get: the peak less refresh; 0: without limit.
  [[nodiscard]] double dram_bytes_per_cycle() const;
  /// Of a request alone, from its arrival to its last data but for the transfer.
  [[nodiscard]] double dram_latency_cycles() const;
  [[nodiscard]] double host_bytes_per_cycle() const;
  [[nodiscard]] double link_bytes_per_cycle() const;
  [[nodiscard]] PoweredUnits powered_units() const;
  [[nodiscard]] SystolicTarget target() const;
};

/// Reads a machine; all faults go to the reader's diagnostics. A machine whose memory has a preset
/// is complete when that is loaded: set_controllers (main_memory_config.hpp).
[[nodiscard]] ChipParams read_chip(ObjectReader& reader);

/// The resolved machine as an architecture file has it (without notes).
[[nodiscard]] Json to_json(const ChipParams& chip);

}  // namespace tilewave
