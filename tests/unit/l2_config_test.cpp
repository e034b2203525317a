// SPDX-License-Identifier: Apache-2.0
// "l2" and "interconnect" of a machine: what is read, what is refused, what is written.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/machines.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

std::string faults(const Json& machine) {
  try {
    (void)resolve(machine);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an L2 has a crossbar as wide as its banks unless it says otherwise", "[l2][config]") {
  const ChipParams chip = resolve(with_l2(small_machine(), 65536)).chip;
  REQUIRE(chip.l2);
  CHECK(chip.l2->cache.capacity_bytes == 65536);
  CHECK(chip.l2->bytes_per_cycle() == 2 * 32);
  CHECK(chip.l2->interconnect.topology == Topology::crossbar);
  CHECK(chip.l2->interconnect.request_bytes_per_cycle == 64);
  CHECK(chip.l2->interconnect.response_bytes_per_cycle == 64);
  CHECK(chip.l2->interconnect.header_bytes == 0);
  CHECK(chip.l2->bank_bytes() == 32768);
  const ChipParams without = resolve(small_machine()).chip;
  CHECK_FALSE(without.l2);
  CHECK(chip.powered_units().sram_bytes == without.powered_units().sram_bytes + 65536);
}

TEST_CASE("a machine with an L2 is written as it is read", "[l2][config]") {
  Json machine = with_l2(small_machine(), 65536);
  machine["interconnect"] = {{"topology", "mesh"},
                             {"mesh_columns", 2},
                             {"mesh_rows", 1},
                             {"request_bytes_per_cycle", 16},
                             {"response_bytes_per_cycle", 32},
                             {"wire_length_mm", 1.5}};
  const Json written = to_json(resolve(machine).chip);
  CHECK(written["l2"]["capacity_bytes"] == 65536);
  CHECK(written["interconnect"]["topology"] == "mesh");
  CHECK(written["interconnect"]["wire_length_mm"] == 1.5);
  CHECK(to_json(resolve(written).chip) == written);
  CHECK_FALSE(to_json(resolve(small_machine()).chip).contains("l2"));
}

TEST_CASE("faults of an L2 and its interconnect are named at their keys", "[l2][config]") {
  Json machine = small_machine();
  machine["interconnect"] = {
      {"topology", "crossbar"}, {"request_bytes_per_cycle", 16}, {"response_bytes_per_cycle", 16}};
  CHECK_THAT(faults(machine), contains("interconnect: is of no use without an l2"));

  machine = with_l2(small_machine(), 65536);
  machine["l2"]["ways"] = 3;
  machine["interconnect"] = {{"topology", "crossbar"},
                             {"request_bytes_per_cycle", 16},
                             {"response_bytes_per_cycle", 16},
                             {"wire_length", 2}};
  CHECK_THAT(faults(machine), contains("l2.ways: must divide"));
  CHECK_THAT(faults(machine), contains("interconnect.wire_length: unknown key; did you mean "
                                       "\"wire_length_mm\"?"));

  // A ring with room for fewer slices than there are.
  machine = with_l2(small_machine(), 65536);
  machine["interconnect"] = {{"topology", "ring"},
                             {"ring_nodes", 1},
                             {"request_bytes_per_cycle", 16},
                             {"response_bytes_per_cycle", 16}};
  CHECK_THAT(faults(machine), contains("interconnect.ring_nodes"));
}
