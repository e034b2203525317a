// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram/dram_energy.hpp"

namespace tilewave {
namespace {

constexpr double kJoulesPerPj = 1e-12;
constexpr double kWattsPerMw = 1e-3;

double joules(Count count, double pj) { return static_cast<double>(count) * pj * kJoulesPerPj; }

}  // namespace

DramEnergySplit& DramEnergySplit::operator+=(const DramEnergySplit& other) noexcept {
  activate += other.activate;
  read += other.read;
  write += other.write;
  io += other.io;
  refresh += other.refresh;
  background += other.background;
  return *this;
}

DramEnergySplit energy_of(const DramCounts& counts, const DramParams& dram, double seconds) {
  const DramEnergy& energy = dram.energy;
  const auto commands = [&](DramCommand command) {
    return counts.commands[static_cast<std::size_t>(command)];
  };
  const Count burst_bits = dram.organisation.burst_bytes() * 8;
  const Count read_bits = counts.reads * burst_bits, write_bits = counts.writes * burst_bits;
  return {.activate = joules(commands(DramCommand::act), energy.activate_pj),
          .read = joules(read_bits, energy.read_pj_per_bit),
          .write = joules(write_bits, energy.write_pj_per_bit),
          .io = joules(read_bits + write_bits, energy.io_pj_per_bit),
          .refresh = joules(commands(DramCommand::ref_all), energy.refresh_all_pj) +
                     joules(commands(DramCommand::ref_bank), energy.refresh_bank_pj),
          .background = energy.background_mw * kWattsPerMw *
                        static_cast<double>(dram.organisation.channels) * seconds};
}

}  // namespace tilewave
