// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "support/random_cases.hpp"

namespace tilewave::test {

/// A random machine whose arrays are cubes.
inline Json cube_machine(RandomCases& cases) {
  Json machine = cases.chip_of_cores();
  auto& core = machine["core"];
  core["matrix_unit"] = {{"kind", "cube"},
                         {"rows", cases.pick(1, 6)},
                         {"cols", cases.pick(1, 6)},
                         {"depth", cases.pick(1, 6)},
                         {"count", cases.one_of<Count>({1, 1, 2})},
                         {"l0a_bytes", cases.one_of<Count>({512, 1000, 4096})},
                         {"l0b_bytes", cases.one_of<Count>({512, 1000, 4096})},
                         {"l0a_fill_bytes_per_cycle", cases.one_of<Count>({1, 7, 64})},
                         {"l0b_fill_bytes_per_cycle", cases.one_of<Count>({1, 5, 64})},
                         {"latency_cycles", cases.pick(1, 12)},
                         {"throughput", {{"int8", 2}, {"int16", 0.5}, {"fp16", 1}, {"bf16", 1}}}};
  core["buffers"].erase("weight_fifo");
  core["buffers"]["weight"] = {{"shared_with", "activation"}};
  return machine;
}

}  // namespace tilewave::test
