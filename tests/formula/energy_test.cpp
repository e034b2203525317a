// SPDX-License-Identifier: Apache-2.0
// Energy of counted actions: small tables and counts worked by hand, laws that hold for every
// table, and one machine whose power is published.
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"

#include "arch/energy/energy_account.hpp"
#include "arch/energy/energy_config.hpp"
#include "arch/energy/energy_table.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

using Catch::Matchers::WithinRel;

constexpr Bytes kKib = 1024;
constexpr Bytes kMib = 1024 * kKib;

/// Round numbers, so that every expected value below is done in the head.
EnergyTable hand_table() {
  EnergyTable table;
  table.name = "hand";
  table.node_nm = 40;
  table.macs = {{DataType::int8, {.multiply = 0.25, .add = 0.25}},
                {DataType::int32, {.multiply = 3, .add = 1}},
                {DataType::fp16, {.multiply = 1, .add = 1}},
                {DataType::fp64, {.multiply = 10, .add = 6}}};
  table.vector_ops = {{16, {.multiply = 1, .add = 1}}, {32, {.multiply = 3, .add = 2}}};
  table.register_pj_per_bit = 0.125;  // 1 pJ a byte
  table.wire_pj_per_bit_mm = 0.25;    // 2 pJ a byte and mm
  table.sram_access_bits = 64;
  table.sram_points = {{.capacity_bytes = 1 * kKib, .read_pj = 8, .write_pj = 16},   // 1, 2 pJ/B
                       {.capacity_bytes = 4 * kKib, .read_pj = 16, .write_pj = 32},  // 2, 4
                       {.capacity_bytes = 64 * kKib, .read_pj = 128, .write_pj = 512}};  // 16, 64
  table.dram_pj_per_bit = {{"ddr3", 20}};
  table.host_link_pj_per_bit = {{"pcie", 4}};
  table.leakage = {.sram_mw_per_mib = 100, .pe_uw = 10, .lane_uw = 1000};
  return table;
}

PoweredUnits hand_units() {
  return {.clock = Frequency::from_ghz(0.5),
          .sram_bytes = 2 * kMib,
          .pes = 10'000,
          .vector_lanes = 100,
          .dram_kind = "ddr3",
          .host_link = "pcie"};
}

ActionCounts hand_counts() {
  ActionCounts counts;
  counts.macs = {{DataType::int8, 1000}, {DataType::fp16, 10}};
  counts.register_bytes = 7000;
  counts.vector_ops = {{32, 50}};
  counts.l1 = {{"activation", {.bank_bytes = 4 * kKib, .read_bytes = 100, .write_bytes = 10}},
               {"accumulator", {.bank_bytes = 1 * kKib, .read_bytes = 400, .write_bytes = 200}}};
  counts.l2 = {{"l2", {.bank_bytes = 64 * kKib, .read_bytes = 64, .write_bytes = 32}}};
  counts.dram_read_bytes = 30;
  counts.dram_write_bytes = 20;
  counts.host_read_bytes = 40;
  counts.host_write_bytes = 10;
  counts.wire_byte_mm = 150;
  counts.cycles = 500;
  return counts;
}

std::filesystem::path energy_presets() {
  return std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs" / "energy";
}

EnergyTable shipped(const std::string& name) {
  Diagnostics diagnostics;
  const auto table =
      load_energy_table(energy_presets() / (name + ".json"), energy_presets(), diagnostics);
  diagnostics.throw_if_errors();
  return table.value();
}

const std::vector<std::string> kShippedOldestFirst{"45nm", "28nm", "22nm", "16nm", "12nm", "7nm"};

void check_equal(const EnergySplit& got, const EnergySplit& expected, double relative = 1e-12) {
  CHECK_THAT(got.matrix, WithinRel(expected.matrix, relative));
  CHECK_THAT(got.vector, WithinRel(expected.vector, relative));
  CHECK_THAT(got.register_file, WithinRel(expected.register_file, relative));
  CHECK_THAT(got.l1, WithinRel(expected.l1, relative));
  CHECK_THAT(got.l2, WithinRel(expected.l2, relative));
  CHECK_THAT(got.dram, WithinRel(expected.dram, relative));
  CHECK_THAT(got.interconnect, WithinRel(expected.interconnect, relative));
  CHECK_THAT(got.leakage, WithinRel(expected.leakage, relative));
}

TEST_CASE("energy: a case worked by hand") {
  const auto energy = energy_of(hand_counts(), hand_table(), hand_units());
  check_equal(energy,
              {.matrix = 520e-12,          // 1000 x 0.5 + 10 x 2
               .vector = 250e-12,          // 50 x 5
               .register_file = 7000e-12,  // 7000 x 1
               .l1 = 1040e-12,             // 100 x 2 + 10 x 4 + 400 x 1 + 200 x 2
               .l2 = 3072e-12,             // 64 x 16 + 32 x 64
               .dram = 8000e-12,           // 50 x 160
               .interconnect = 1900e-12,   // 150 x 2 + 50 x 32
               // (2 MiB x 100 mW + 10000 x 10 uW + 100 x 1 mW) x 500 / 0.5 GHz = 0.4 W x 1 us
               .leakage = 0.4e-6});
  CHECK_THAT(energy.total(), WithinRel(21'782e-12 + 0.4e-6, 1e-12));
}

TEST_CASE("energy: no work costs leakage only, no time costs nothing") {
  ActionCounts idle;
  idle.cycles = 500;
  check_equal(energy_of(idle, hand_table(), hand_units()), {.leakage = 0.4e-6});
  CHECK(energy_of(ActionCounts{}, hand_table(), hand_units()).total() == 0.0);
}

TEST_CASE("energy: a machine without DRAM or host link needs no entry for them") {
  ActionCounts counts;
  counts.macs = {{DataType::int8, 1}};
  auto units = hand_units();
  units.dram_kind.clear();
  units.host_link.clear();
  CHECK_THAT(energy_of(counts, hand_table(), units).total(), WithinRel(0.5e-12, 1e-12));
  counts.dram_read_bytes = 1;
  CHECK_THROWS_AS(energy_of(counts, hand_table(), units), SimulationError);
}

TEST_CASE("energy: layers add up to the run") {
  auto other = hand_counts();
  other.macs = {{DataType::int8, 3}, {DataType::int32, 5}};
  other.vector_ops = {{16, 7}};
  other.l1.erase("activation");
  other.l2.clear();
  other.cycles = 12'345;
  other.wire_byte_mm = 1;

  const auto table = hand_table();
  const auto units = hand_units();
  auto separate = energy_of(hand_counts(), table, units);
  separate += energy_of(other, table, units);
  auto together = hand_counts();
  together += other;
  check_equal(energy_of(together, table, units), separate);
  CHECK(together.macs == std::map<DataType, Count>{
                             {DataType::int8, 1003}, {DataType::int32, 5}, {DataType::fp16, 10}});
  CHECK(together.l1.at("accumulator").read_bytes == 800);
  CHECK(together.l1.at("activation").read_bytes == 100);
}

TEST_CASE("energy: counts beyond 2^53 do not wrap") {
  ActionCounts counts;
  counts.macs = {{DataType::int8, Count{65536} * 65536 * 65536}};
  counts.register_bytes = 5 * (Count{65536} * 65536 * 65536);
  const auto energy = energy_of(counts, hand_table(), hand_units());
  CHECK_THAT(energy.matrix, WithinRel(0.5e-12 * std::pow(2.0, 48), 1e-12));
  CHECK_THAT(energy.register_file, WithinRel(5e-12 * std::pow(2.0, 48), 1e-12));
}

TEST_CASE("energy table: SRAM at, between and beyond the points") {
  const auto table = hand_table();
  // At the points.
  CHECK_THAT(table.sram_read_pj_per_byte(1 * kKib), WithinRel(1.0, 1e-12));
  CHECK_THAT(table.sram_read_pj_per_byte(4 * kKib), WithinRel(2.0, 1e-12));
  CHECK_THAT(table.sram_read_pj_per_byte(64 * kKib), WithinRel(16.0, 1e-12));
  CHECK_THAT(table.sram_write_pj_per_byte(64 * kKib), WithinRel(64.0, 1e-12));
  // Half way in the logarithm: the geometric mean.
  CHECK_THAT(table.sram_read_pj_per_byte(2 * kKib), WithinRel(std::sqrt(2.0), 1e-12));
  CHECK_THAT(table.sram_read_pj_per_byte(16 * kKib), WithinRel(std::sqrt(32.0), 1e-12));
  CHECK_THAT(table.sram_write_pj_per_byte(16 * kKib), WithinRel(16.0, 1e-12));
  // Below: as the first. Above: on with the last slope, x8 in energy for x16 in capacity.
  CHECK_THAT(table.sram_read_pj_per_byte(1), WithinRel(1.0, 1e-12));
  CHECK_THAT(table.sram_read_pj_per_byte(1024 * kKib), WithinRel(128.0, 1e-12));

  auto one_point = table;
  one_point.sram_points.resize(1);
  CHECK_THAT(one_point.sram_read_pj_per_byte(1 * kMib), WithinRel(1.0, 1e-12));
}

TEST_CASE("energy table: a format without an entry costs what the next wider one does") {
  const auto table = hand_table();
  CHECK(table.mac_pj(DataType::int8) == 0.5);
  CHECK(table.mac_pj(DataType::int4) == 0.5);              // int8
  CHECK(table.mac_pj(DataType::int16) == 4.0);             // int32
  CHECK(table.mac_pj(DataType::fp8) == 2.0);               // fp16
  CHECK(table.mac_pj(DataType::nvfp4) == 2.0);             // fp4, fp8, fp16
  CHECK(table.mac_pj(DataType::bf16) == 16.0);             // tf32, fp32, fp64
  CHECK(table.mac_pj(DataType::int4_weight_only) == 2.0);  // fp16
  for (const auto type : all_data_types()) CHECK(table.mac_pj(type) > 0);
}

TEST_CASE("energy table: vector operations by width") {
  const auto table = hand_table();
  CHECK(table.vector_op_pj(8) == 2.0);
  CHECK(table.vector_op_pj(16) == 2.0);
  CHECK(table.vector_op_pj(17) == 5.0);
  CHECK(table.vector_op_pj(32) == 5.0);
  CHECK(table.vector_op_pj(64) == 10.0);  // two of 32
}

TEST_CASE("energy table: a technology between two others") {
  auto newer = hand_table();
  newer.node_nm = 10;
  newer.macs[DataType::int8] = {.multiply = 0.0625, .add = 0.25};
  newer.sram_points[0].read_pj = 2;
  newer.register_pj_per_bit = 0.03125;
  newer.leakage.pe_uw = 2.5;
  const auto middle = interpolate(hand_table(), newer, 20);  // half way in the logarithm
  CHECK(middle.node_nm == 20);
  CHECK_THAT(middle.macs.at(DataType::int8).multiply, WithinRel(0.125, 1e-12));
  CHECK(middle.macs.at(DataType::int8).add == 0.25);  // equal at both ends: exact
  CHECK_THAT(middle.sram_read_pj_per_byte(1 * kKib), WithinRel(0.5, 1e-12));
  CHECK_THAT(middle.register_pj_per_byte(), WithinRel(0.5, 1e-12));
  CHECK_THAT(middle.leakage.pe_uw, WithinRel(5.0, 1e-12));
  CHECK(middle.dram_pj_per_byte("ddr3") == 160.0);
}

TEST_CASE("shipped energy tables: a larger bank never costs less") {
  for (const auto& name : kShippedOldestFirst) {
    INFO(name);
    const auto table = shipped(name);
    for (Bytes bank = 256; bank < 64 * kMib; bank = bank * 5 / 4) {
      CHECK(table.sram_read_pj_per_byte(bank * 5 / 4) >= table.sram_read_pj_per_byte(bank));
      CHECK(table.sram_write_pj_per_byte(bank * 5 / 4) >= table.sram_write_pj_per_byte(bank));
    }
  }
}

TEST_CASE("shipped energy tables: a newer technology costs less, a wider format more") {
  for (std::size_t i = 1; i < kShippedOldestFirst.size(); ++i) {
    INFO(kShippedOldestFirst[i]);
    const auto older = shipped(kShippedOldestFirst[i - 1]);
    const auto newer = shipped(kShippedOldestFirst[i]);
    REQUIRE(newer.node_nm < older.node_nm);
    for (const auto type : all_data_types()) CHECK(newer.mac_pj(type) < older.mac_pj(type));
    for (const unsigned bits : {8U, 16U, 32U, 64U}) {
      CHECK(newer.vector_op_pj(bits) < older.vector_op_pj(bits));
    }
    for (Bytes bank = kKib; bank < 64 * kMib; bank *= 2) {
      CHECK(newer.sram_read_pj_per_byte(bank) < older.sram_read_pj_per_byte(bank));
    }
    CHECK(newer.register_pj_per_byte() < older.register_pj_per_byte());
    CHECK(newer.wire_pj_per_byte_mm() < older.wire_pj_per_byte_mm());
    CHECK(newer.leakage_w(kMib, 0, 0) < older.leakage_w(kMib, 0, 0));
    CHECK(newer.leakage_w(0, 1, 1) < older.leakage_w(0, 1, 1));
    for (const auto& [kind, pj] : older.dram_pj_per_bit) {
      CHECK(newer.dram_pj_per_byte(kind) == 8 * pj);  // DRAM is another chip
    }
  }
  for (const auto& name : kShippedOldestFirst) {
    INFO(name);
    const auto table = shipped(name);
    CHECK(table.mac_pj(DataType::int4) < table.mac_pj(DataType::int8));
    CHECK(table.mac_pj(DataType::int8) < table.mac_pj(DataType::int16));
    CHECK(table.mac_pj(DataType::int16) < table.mac_pj(DataType::int32));
    CHECK(table.mac_pj(DataType::fp8) < table.mac_pj(DataType::bf16));
    CHECK(table.mac_pj(DataType::bf16) < table.mac_pj(DataType::fp16));
    CHECK(table.mac_pj(DataType::fp16) < table.mac_pj(DataType::fp32));
    CHECK(table.mac_pj(DataType::fp32) < table.mac_pj(DataType::fp64));
  }
}

TEST_CASE("shipped energy tables: published entries come out as published") {
  // Jouppi et al., ISCA 2021, Table 2, pJ: multiply, add; 64 bits of SRAM.
  const auto at_45 = shipped("45nm");
  const auto at_7 = shipped("7nm");
  CHECK_THAT(at_45.mac_pj(DataType::int8), WithinRel(0.2 + 0.1, 1e-12));
  CHECK_THAT(at_7.mac_pj(DataType::bf16), WithinRel(0.21 + 0.38, 1e-12));
  CHECK_THAT(at_7.vector_op_pj(32), WithinRel(1.31 + 0.38, 1e-12));
  CHECK_THAT(8 * at_45.sram_read_pj_per_byte(32 * kKib), WithinRel(20.0, 1e-12));
  CHECK_THAT(8 * at_7.sram_write_pj_per_byte(1024 * kKib), WithinRel(14.0, 1e-12));
  CHECK_THAT(8 * at_7.dram_pj_per_byte("ddr4"), WithinRel(1300.0, 0.001));
}

// Jouppi et al., ISCA 2017: TPU v1 draws 28 W idle and 40 W busy (Table 2), at 86 TOPS on CNN0. So
// dense int8 work costs at least the 12 W by which the two differ, if everything that idles also
// counts as static, and at most 40 W with all that leaks. The tables are public figures for other
// chips, so a quarter is allowed on either side.
TEST_CASE("TPU v1 at full rate draws what its paper allows") {
  constexpr Count kRows = 256, kCols = 256;
  constexpr Cycle kCycles = 700'000;  // 1 ms
  constexpr Count kMacs = kRows * kCols * kCycles;
  ActionCounts counts;
  counts.cycles = kCycles;
  counts.macs = {{DataType::int8, kMacs}};
  // Each PE passes an activation byte on to its neighbour and a 32-bit sum down.
  counts.register_bytes = kMacs * (1 + 4);
  // A cycle reads a row of activations and updates a row of sums in the accumulators.
  counts.l1 = {{"activation", {.bank_bytes = 24 * kMib / 256, .read_bytes = kRows * kCycles}},
               {"accumulator",
                {.bank_bytes = 4 * kMib / 256,
                 .read_bytes = 4 * kCols * kCycles,
                 .write_bytes = 4 * kCols * kCycles}}};
  const PoweredUnits units{.clock = Frequency::from_ghz(0.7),
                           .sram_bytes = 28 * kMib,
                           .pes = kRows * kCols,
                           .vector_lanes = 256,
                           .dram_kind = "ddr3",
                           .host_link = "pcie"};
  const auto energy = energy_of(counts, shipped("28nm"), units);
  const double seconds = static_cast<double>(kCycles) / units.clock.hz();
  const double static_w = energy.leakage / seconds;
  const double dynamic_w = energy.total() / seconds - static_w;
  const double pj_per_mac = (energy.total() - energy.leakage) * 1e12 / static_cast<double>(kMacs);
  CAPTURE(energy.matrix / seconds, energy.register_file / seconds, energy.l1 / seconds);
  WARN("TPU v1, " << 2e-12 * static_cast<double>(kMacs) / seconds << " TOPS int8: dynamic "
                  << dynamic_w << " W (" << pj_per_mac << " pJ a MAC: matrix "
                  << energy.matrix / seconds << " W, registers " << energy.register_file / seconds
                  << " W, SRAM " << energy.l1 / seconds << " W), leakage " << static_w
                  << " W; published 12 W over idle, 40 W busy");
  CHECK(dynamic_w > 0.75 * 12);
  CHECK(dynamic_w + static_w < 1.25 * 40);
  CHECK(pj_per_mac < 0.93);  // 40 W / 43e12 MAC/s on CNN0, everything included
}

}  // namespace
}  // namespace tilewave
