// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "arch/core/systolic_core_params.hpp"
#include "arch/energy/energy_account.hpp"
#include "arch/memory/simple_memory.hpp"
#include "arch/program/systolic_target.hpp"
#include "sim/config/reader.hpp"

namespace tilewave {

/// Off-chip memory as bandwidth and latency.
struct DramParams {
  bool ideal = false;  ///< answers at once
  std::string kind;    ///< of the energy table: "ddr3", "hbm2", …
  Bandwidth bandwidth{};
  double latency_ns = 0;
  Bytes capacity_bytes = 0;   ///< 0: not stated
  bool weights_only = false;  ///< activations come and go over the host link
};

/// Link to the host: as fast in each direction.
struct HostParams {
  std::string type;
  Bandwidth bandwidth{};
  double latency_ns = 0;
};

/// Resolved description of a machine: every default filled in, every unit in its name.
struct ChipParams {
  std::string name;
  double clock_ghz = 0;
  Count cores = 1;
  SystolicCoreParams core;
  DramParams dram;
  std::optional<HostParams> host;
  std::string energy;        ///< technology: a file of configs/energy
  bool keep_results = true;  ///< mapping: results stay on chip between ops if they fit

  [[nodiscard]] Frequency clock() const { return Frequency::from_ghz(clock_ghz); }
  [[nodiscard]] double dram_bytes_per_cycle() const;
  [[nodiscard]] double host_bytes_per_cycle() const;
  [[nodiscard]] PoweredUnits powered_units() const;
  [[nodiscard]] SystolicTarget target() const;
};

/// Reads a machine; all faults go to the reader's diagnostics.
[[nodiscard]] ChipParams read_chip(ObjectReader& reader);

/// The resolved machine as an architecture file has it (without notes).
[[nodiscard]] Json to_json(const ChipParams& chip);

}  // namespace tilewave
