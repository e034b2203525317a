// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arch/program/data_type.hpp"
#include "sim/units.hpp"

namespace tilewave {

/// What an action costs in one logic technology: a file of configs/energy, resolved
/// (energy_config.hpp reads it). Plain numbers and look-ups.
///
/// Modelled: energy per action at nominal voltage with random data, and leakage at a fixed
/// temperature. Not modelled: data dependence, voltage and frequency scaling, clock trees, I/O
/// circuits at rest, DRAM background power, regulators.
struct EnergyTable {
  /// A multiplier and the adder behind it.
  struct MultiplyAddPj {
    double multiply = 0;
    double add = 0;
    [[nodiscard]] double sum() const noexcept { return multiply + add; }
  };
  /// One access to an SRAM bank of this capacity.
  struct SramPoint {
    Bytes capacity_bytes = 0;
    double read_pj = 0;
    double write_pj = 0;
  };
  struct Leakage {
    double sram_mw_per_mib = 0;
    double pe_uw = 0;    ///< a PE with an int8 multiplier, adder and its registers
    double lane_uw = 0;  ///< a vector lane of 32 bits
  };

  std::string name;
  double node_nm = 0;
  std::map<DataType, MultiplyAddPj> macs;        ///< has int32 and fp64
  std::map<unsigned, MultiplyAddPj> vector_ops;  ///< by width in bits; not empty
  double register_pj_per_bit = 0;
  double wire_pj_per_bit_mm = 0;
  unsigned sram_access_bits = 0;       ///< width of the accesses in sram_points
  std::vector<SramPoint> sram_points;  ///< growing capacity; not empty
  std::map<std::string, double, std::less<>> dram_pj_per_bit;       ///< by kind
  std::map<std::string, double, std::less<>> host_link_pj_per_bit;  ///< by type
  Leakage leakage;

  /// A multiplication and its addition to the accumulator. A format without an entry costs what the
  /// nearest wider one costs that has one: int4 -> int8 -> int16 -> int32, nvfp4 -> fp4 -> fp8 ->
  /// fp16 -> bf16 -> tf32 -> fp32 -> fp64, fp8_block as fp8, weight-only formats as fp16, in which
  /// they multiply. Never zero.
  [[nodiscard]] double mac_pj(DataType type) const;

  /// One operation of a vector lane, taken as a multiply-add of that width (floating point from 16
  /// bits up): an upper bound for additions and comparisons. A width between two classes costs what
  /// the next wider costs; beyond the widest class, as many of that class as cover it.
  [[nodiscard]] double vector_op_pj(unsigned bits) const;

  /// A byte written into a pipeline register and read again.
  [[nodiscard]] double register_pj_per_byte() const noexcept { return 8 * register_pj_per_bit; }
  [[nodiscard]] double wire_pj_per_byte_mm() const noexcept { return 8 * wire_pj_per_bit_mm; }

  /// A byte of a bank of this capacity. Between two points of the table linear in the logarithms of
  /// capacity and energy; below the first point as the first (a smaller array has still the
  /// periphery); above the last point on the line through the last two, so that a bank beyond the
  /// table is not too cheap.
  [[nodiscard]] double sram_read_pj_per_byte(Bytes bank_bytes) const;
  [[nodiscard]] double sram_write_pj_per_byte(Bytes bank_bytes) const;

  /// Require an entry (has_dram_kind, has_host_link); the reader of the machine checks.
  [[nodiscard]] double dram_pj_per_byte(std::string_view kind) const;
  [[nodiscard]] double host_link_pj_per_byte(std::string_view type) const;
  [[nodiscard]] bool has_dram_kind(std::string_view kind) const {
    return dram_pj_per_bit.contains(kind);
  }
  [[nodiscard]] bool has_host_link(std::string_view type) const {
    return host_link_pj_per_bit.contains(type);
  }

  /// Leakage of all SRAM, PEs and lanes of a machine, in watts.
  [[nodiscard]] double leakage_w(Bytes sram_bytes, Count pes, Count lanes) const noexcept;
};

/// Table of a technology between two others: each value geometric in the feature size,
///   v = older^(1-t) * newer^t,  t = ln(older.node/node) / ln(older.node/newer.node).
/// Entries only one of the two has are left out. Requires older.node_nm > node_nm > newer.node_nm
/// and equal SRAM capacities and access width.
[[nodiscard]] EnergyTable interpolate(const EnergyTable& older, const EnergyTable& newer,
                                      double node_nm);

}  // namespace tilewave
