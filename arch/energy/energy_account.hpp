// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "arch/energy/energy_table.hpp"
#include "arch/program/data_type.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// Traffic of one on-chip memory.
struct SramTraffic {
  Bytes bank_bytes = 0;  ///< capacity of one bank: it sets the energy of an access
  Bytes read_bytes = 0;
  Bytes write_bytes = 0;
};

/// What units did in one layer (or in a run): counts only, no technology.
struct ActionCounts {
  std::map<DataType, Count> macs;         ///< multiply-accumulates by the kernel's type
  Bytes register_bytes = 0;               ///< moved through PE pipeline registers or register files
  std::map<unsigned, Count> vector_ops;   ///< lane operations by width in bits
  std::map<std::string, SramTraffic> l1;  ///< the core's buffers, by name
  std::map<std::string, SramTraffic> l2;  ///< shared on-chip memories, by name
  Bytes dram_read_bytes = 0, dram_write_bytes = 0;
  Bytes host_read_bytes = 0, host_write_bytes = 0;
  double wire_byte_mm = 0;  ///< bytes times the millimetres they travelled on wires
  Cycle cycles = 0;         ///< for leakage

  /// Adds the actions of another layer of the same machine. Counts add up exactly; a buffer keeps
  /// its name and bank.
  ActionCounts& operator+=(const ActionCounts& other);
};

/// What of a machine has a bearing on energy beside the table.
struct PoweredUnits {
  Frequency clock;
  Bytes sram_bytes = 0;    ///< all on-chip memories
  Count pes = 0;           ///< all matrix units of all cores
  Count vector_lanes = 0;  ///< all cores
  std::string dram_kind;   ///< entry of EnergyTable::dram_pj_per_bit; may be empty without DRAM
  std::string host_link;   ///< entry of host_link_pj_per_bit; may be empty without a host link
};

/// Joules by component, the names of the report.
struct EnergySplit {
  double matrix = 0;  ///< multipliers and their adders
  double vector = 0;
  double register_file = 0;  ///< pipeline registers of PEs, register files
  double l1 = 0;
  double l2 = 0;
  double dram = 0;
  double interconnect = 0;  ///< on-chip wires and the host link
  double leakage = 0;       ///< "static" in the report

  [[nodiscard]] double total() const noexcept {
    return matrix + vector + register_file + l1 + l2 + dram + interconnect + leakage;
  }
  EnergySplit& operator+=(const EnergySplit& other) noexcept;
};

/// energy = sum of count x energy per action, and leakage power x cycles / clock. Linear in counts.
[[nodiscard]] EnergySplit energy_of(const ActionCounts& counts, const EnergyTable& table,
                                    const PoweredUnits& units);

}  // namespace tilewave
