// SPDX-License-Identifier: Apache-2.0
#include "arch/energy/energy_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>

#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

/// The format whose cost a format without an entry takes over; none at the end of a chain.
std::optional<DataType> next_wider(DataType type) {
  switch (type) {
    case DataType::int4:
      return DataType::int8;
    case DataType::int8:
    case DataType::int16xint8:
    case DataType::int8xint16:
      return DataType::int16;
    case DataType::int16:
      return DataType::int32;
    case DataType::nvfp4:
      return DataType::fp4;
    case DataType::fp4:
    case DataType::fp8_block:
      return DataType::fp8;
    case DataType::fp8:
    case DataType::int8_weight_only:
    case DataType::int4_weight_only:
      return DataType::fp16;
    case DataType::fp16:
      return DataType::bf16;
    case DataType::bf16:
      return DataType::tf32;
    case DataType::tf32:
      return DataType::fp32;
    case DataType::fp32:
      return DataType::fp64;
    case DataType::int32:
    case DataType::fp64:
      break;
  }
  return std::nullopt;
}

using SramPoint = EnergyTable::SramPoint;

/// Energy of one access, by the rule of sram_read_pj_per_byte().
double access_pj(const std::vector<SramPoint>& points, double SramPoint::*energy, Bytes bank) {
  const auto& first = points.front();
  if (bank <= first.capacity_bytes || points.size() == 1) return first.*energy;
  // The first point at or above the bank; beyond the table, the last.
  auto high = std::find_if(points.begin() + 1, points.end() - 1,
                           [&](const SramPoint& p) { return p.capacity_bytes >= bank; });
  if (high->capacity_bytes == bank) return (*high).*energy;
  const auto& low = *std::prev(high);
  const auto log_of = [](Bytes capacity) { return std::log(static_cast<double>(capacity)); };
  const double t = (log_of(bank) - log_of(low.capacity_bytes)) /
                   (log_of(high->capacity_bytes) - log_of(low.capacity_bytes));
  return low.*energy * std::pow((*high).*energy / low.*energy, t);
}

template <typename Map>
double entry_pj_per_byte(const Map& map, std::string_view key, const char* what) {
  const auto found = map.find(key);
  if (found == map.end()) {
    throw SimulationError("energy table has no " + std::string(what) + " \"" + std::string(key) +
                          "\"");
  }
  return 8 * found->second;
}

/// older^(1-t) newer^t; exact where both are equal.
class Geometric {
 public:
  explicit Geometric(double t) : t_(t) {}
  [[nodiscard]] double operator()(double older, double newer) const {
    return older * std::pow(newer / older, t_);
  }
  [[nodiscard]] EnergyTable::MultiplyAddPj operator()(
      const EnergyTable::MultiplyAddPj& older, const EnergyTable::MultiplyAddPj& newer) const {
    return {.multiply = (*this)(older.multiply, newer.multiply),
            .add = (*this)(older.add, newer.add)};
  }
  template <typename Map>
  requires requires { typename Map::mapped_type; }
  [[nodiscard]] Map operator()(const Map& older, const Map& newer) const {
    Map result;
    for (const auto& [key, value] : older) {
      if (const auto other = newer.find(key); other != newer.end()) {
        result.emplace(key, (*this)(value, other->second));
      }
    }
    return result;
  }

 private:
  double t_;
};

}  // namespace

double EnergyTable::mac_pj(DataType type) const {
  for (std::optional<DataType> t = type; t; t = next_wider(*t)) {
    if (const auto found = macs.find(*t); found != macs.end()) return found->second.sum();
  }
  throw SimulationError("energy table \"" + name + "\" has no entry for " +
                        std::string(to_string(type)) + " or a wider format");
}

double EnergyTable::vector_op_pj(unsigned bits) const {
  if (const auto found = vector_ops.lower_bound(bits); found != vector_ops.end()) {
    return found->second.sum();
  }
  const auto& [widest, cost] = *vector_ops.rbegin();
  return ceil_div(bits, widest) * cost.sum();
}

double EnergyTable::sram_read_pj_per_byte(Bytes bank_bytes) const {
  return 8 * access_pj(sram_points, &SramPoint::read_pj, bank_bytes) / sram_access_bits;
}

double EnergyTable::sram_write_pj_per_byte(Bytes bank_bytes) const {
  return 8 * access_pj(sram_points, &SramPoint::write_pj, bank_bytes) / sram_access_bits;
}

double EnergyTable::dram_pj_per_byte(std::string_view kind) const {
  return entry_pj_per_byte(dram_pj_per_bit, kind, "DRAM kind");
}

double EnergyTable::host_link_pj_per_byte(std::string_view type) const {
  return entry_pj_per_byte(host_link_pj_per_bit, type, "host link");
}

double EnergyTable::leakage_w(Bytes sram_bytes, Count pes, Count lanes) const noexcept {
  constexpr double kMib = 1024.0 * 1024.0;
  return 1e-3 * leakage.sram_mw_per_mib * (static_cast<double>(sram_bytes) / kMib) +
         1e-6 * leakage.pe_uw * static_cast<double>(pes) +
         1e-6 * leakage.lane_uw * static_cast<double>(lanes);
}

EnergyTable interpolate(const EnergyTable& older, const EnergyTable& newer, double node_nm) {
  const Geometric mix(std::log(older.node_nm / node_nm) / std::log(older.node_nm / newer.node_nm));
  EnergyTable table;
  table.node_nm = node_nm;
  table.macs = mix(older.macs, newer.macs);
  table.vector_ops = mix(older.vector_ops, newer.vector_ops);
  table.register_pj_per_bit = mix(older.register_pj_per_bit, newer.register_pj_per_bit);
  table.wire_pj_per_bit_mm = mix(older.wire_pj_per_bit_mm, newer.wire_pj_per_bit_mm);
  table.sram_access_bits = older.sram_access_bits;
  for (std::size_t i = 0; i < older.sram_points.size(); ++i) {
    const auto& a = older.sram_points[i];
    const auto& b = newer.sram_points.at(i);
    table.sram_points.push_back({.capacity_bytes = a.capacity_bytes,
                                 .read_pj = mix(a.read_pj, b.read_pj),
                                 .write_pj = mix(a.write_pj, b.write_pj)});
  }
  table.dram_pj_per_bit = mix(older.dram_pj_per_bit, newer.dram_pj_per_bit);
  table.host_link_pj_per_bit = mix(older.host_link_pj_per_bit, newer.host_link_pj_per_bit);
  table.leakage = {
      .sram_mw_per_mib = mix(older.leakage.sram_mw_per_mib, newer.leakage.sram_mw_per_mib),
      .pe_uw = mix(older.leakage.pe_uw, newer.leakage.pe_uw),
      .lane_uw = mix(older.leakage.lane_uw, newer.leakage.lane_uw)};
  return table;
}

}  // namespace tilewave
