// SPDX-License-Identifier: Apache-2.0
#include "arch/energy/energy_account.hpp"

namespace tilewave {
namespace {

constexpr double kJoulesPerPj = 1e-12;

double joules(Count count, double pj) { return static_cast<double>(count) * pj * kJoulesPerPj; }

double sram_joules(const std::map<std::string, SramTraffic>& memories, const EnergyTable& table) {
  double sum = 0;
  for (const auto& [name, traffic] : memories) {
    sum += joules(traffic.read_bytes, table.sram_read_pj_per_byte(traffic.bank_bytes)) +
           joules(traffic.write_bytes, table.sram_write_pj_per_byte(traffic.bank_bytes));
  }
  return sum;
}

template <typename Key>
void add_counts(std::map<Key, Count>& to, const std::map<Key, Count>& from) {
  for (const auto& [key, count] : from) to[key] += count;
}

void add_traffic(std::map<std::string, SramTraffic>& to,
                 const std::map<std::string, SramTraffic>& from) {
  for (const auto& [name, traffic] : from) {
    auto& sum = to[name];
    sum.bank_bytes = traffic.bank_bytes;
    sum.read_bytes += traffic.read_bytes;
    sum.write_bytes += traffic.write_bytes;
  }
}

}  // namespace

ActionCounts& ActionCounts::operator+=(const ActionCounts& other) {
  add_counts(macs, other.macs);
  register_bytes += other.register_bytes;
  add_counts(vector_ops, other.vector_ops);
  add_traffic(l1, other.l1);
  add_traffic(l2, other.l2);
  dram_read_bytes += other.dram_read_bytes;
  dram_write_bytes += other.dram_write_bytes;
  host_read_bytes += other.host_read_bytes;
  host_write_bytes += other.host_write_bytes;
  wire_byte_mm += other.wire_byte_mm;
  cycles += other.cycles;
  return *this;
}

EnergySplit& EnergySplit::operator+=(const EnergySplit& other) noexcept {
  matrix += other.matrix;
  vector += other.vector;
  register_file += other.register_file;
  l1 += other.l1;
  l2 += other.l2;
  dram += other.dram;
  interconnect += other.interconnect;
  leakage += other.leakage;
  return *this;
}

EnergySplit energy_of(const ActionCounts& counts, const EnergyTable& table,
                      const PoweredUnits& units) {
  EnergySplit energy;
  for (const auto& [type, count] : counts.macs) energy.matrix += joules(count, table.mac_pj(type));
  for (const auto& [bits, count] : counts.vector_ops) {
    energy.vector += joules(count, table.vector_op_pj(bits));
  }
  energy.register_file = joules(counts.register_bytes, table.register_pj_per_byte());
  energy.l1 = sram_joules(counts.l1, table);
  energy.l2 = sram_joules(counts.l2, table);
  // Reads and writes cost the same: the published figures do not tell them apart.
  if (const Bytes bytes = counts.dram_read_bytes + counts.dram_write_bytes; bytes > 0) {
    energy.dram = joules(bytes, table.dram_pj_per_byte(units.dram_kind));
  }
  energy.interconnect = counts.wire_byte_mm * table.wire_pj_per_byte_mm() * kJoulesPerPj;
  if (const Bytes bytes = counts.host_read_bytes + counts.host_write_bytes; bytes > 0) {
    energy.interconnect += joules(bytes, table.host_link_pj_per_byte(units.host_link));
  }
  if (counts.cycles > 0) {
    energy.leakage = table.leakage_w(units.sram_bytes, units.pes, units.vector_lanes) *
                     (static_cast<double>(counts.cycles) / units.clock.hz());
  }
  return energy;
}

}  // namespace tilewave
