// SPDX-License-Identifier: Apache-2.0
// docs/architecture_file.md and docs/extending.md have every key that machines and energy tables
// may have, with the range and the default that the readers know.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/doc_tables.hpp"
#include "support/machines.hpp"

#include "arch/chip/chip_params.hpp"
#include "arch/chip/gpu_params.hpp"
#include "arch/energy/energy_config.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

void read(const Json& machine, KeyDocs& keys) {
  Diagnostics diagnostics;
  ObjectReader reader(machine, "test.json", "", diagnostics, &keys);
  (void)read_chip(reader);
  diagnostics.throw_if_errors();
}

/// A key behind an object that may be left out is asked for only if the object is there: machines
/// that have each of them.
std::vector<KeyDoc> all_machine_keys() {
  KeyDocs keys;
  read(small_machine(), keys);               // weight buffer, vector unit
  read(load_preset("tpu_v1"), keys);         // weight FIFO, host link
  read(load_preset("gemmini_16x16"), keys);  // weights in the activation buffer
  read(with(load_preset("ascend_910b"), {"l2=null", "interconnect=null"}), keys);  // cubes
  read(ideal_machine(4, 4, "output_stationary"), keys);
  read(with(small_machine(), {"chips=2", R"(links={"bandwidth_gb_per_s": 1})"}), keys);
  read(with(small_machine(), {"core.buffers.activation.banks=null",
                              R"(core.buffers.activation.banking={"banks": 4, "bank_word_bytes": 1,
                                  "interleaving": "xor", "swizzle": {"bits": 1}})"}),
       keys);
  read(with(with_l2(small_machine(), 65536),
            {R"(interconnect={"topology": "crossbar", "request_bytes_per_cycle": 32,
                "response_bytes_per_cycle": 64})"}),
       keys);
  return keys.all();
}

/// Those that a machine of SMs has of its own: of the memory, see the other table.
std::vector<KeyDoc> all_gpu_keys() {
  KeyDocs keys;
  Diagnostics diagnostics;
  // Has all that may be left out but for the links between several.
  const Json machine =
      with(load_preset("a100_sxm_80gb"), {"chips=2", R"(links={"bandwidth_gb_per_s": 300})"});
  ObjectReader reader(machine, "test.json", "", diagnostics, &keys);
  (void)read_gpu(reader);
  diagnostics.throw_if_errors();
  std::vector<KeyDoc> own;
  for (const KeyDoc& key : keys.all()) {
    if (!key.path.starts_with("memory.dram.")) own.push_back(key);
  }
  return own;
}

}  // namespace

TEST_CASE("every key of a GPU is documented", "[docs]") {
  const auto keys = all_gpu_keys();
  CHECK(keys.size() > 45);
  CHECK(doc_faults("architecture_file.md", "gpu", keys) == "");
}

TEST_CASE("every key of a machine is documented", "[docs]") {
  const auto keys = all_machine_keys();
  CHECK(keys.size() > 50);
  CHECK(doc_faults("architecture_file.md", "machine", keys) == "");
}

TEST_CASE("every key of an energy table is documented", "[docs]") {
  const auto presets = std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs" / "energy";
  KeyDocs keys;
  Diagnostics diagnostics;
  for (const char* name : {"45nm.json", "28nm.json"}) {  // all groups; "between"
    (void)load_energy_table(presets / name, presets, diagnostics, &keys);
  }
  diagnostics.throw_if_errors();
  // One row stands for all data types, one for all widths.
  KeyDocs merged;
  for (KeyDoc key : keys.all()) {
    for (const DataType type : all_data_types()) {
      key.path = replaced(key.path, fmt::format("mac_pj.{}.", to_string(type)), "mac_pj.TYPE.");
    }
    for (const char* width : {"8", "16", "32", "64"}) {
      key.path = replaced(key.path, fmt::format("vector_op_pj.{}", width), "vector_op_pj.WIDTH");
    }
    merged.add(std::move(key));
  }
  CHECK(merged.all().size() > 20);
  CHECK(doc_faults("extending.md", "energy", merged.all()) == "");
}

TEST_CASE("a table of keys is held against the readers", "[docs]") {
  auto keys = all_machine_keys();
  keys.push_back({"core.no_such_key", "a string", "", true, "not in the document"});
  CHECK(doc_faults("architecture_file.md", "machine", keys) ==
        "missing: | `core.no_such_key` | a string | required | not in the document |\n");
  keys.pop_back();
  keys[1].default_value = "1", keys[1].required = false;
  CHECK_THAT(doc_faults("architecture_file.md", "machine", keys),
             contains("outdated: | `" + keys[1].path + "` | "));
  CHECK(doc_faults("architecture_file.md", "machine", {keys.begin() + 1, keys.end()})
            .find("no such key: " + keys[0].path) != std::string::npos);
}
