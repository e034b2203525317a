// SPDX-License-Identifier: Apache-2.0
// Presets of configs/dram as JSON, to be changed by a test and read.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "arch/memory/dram/dram_config.hpp"
#include "sim/config/json_file.hpp"
#include "sim/config/merge.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave::test {

inline std::filesystem::path source_configs() {
  return std::filesystem::path(TILEWAVE_TEST_DIR) / ".." / "configs";
}

/// A preset and its standard.
struct DramFiles {
  explicit DramFiles(const std::string& name) {
    const auto folder = source_configs() / "dram";
    preset = load_json_file(folder / (name + ".json"), diagnostics).value();
    const auto standard_name = preset.at("standard").get<std::string>();
    standard =
        load_json_file(folder / "standards" / (standard_name + ".json"), diagnostics).value();
  }

  DramParams read() {
    ObjectReader preset_reader(preset, "preset", "", diagnostics);
    ObjectReader standard_reader(standard, "standard", "", diagnostics);
    return read_dram(preset_reader, standard_reader);
  }
  /// Reads, and gives the errors: "preset: PATH: message".
  std::vector<std::string> errors() {
    (void)read();
    std::vector<std::string> lines;
    for (const Fault& fault : diagnostics.errors()) lines.push_back(format(fault));
    return lines;
  }

  Json preset, standard;
  Diagnostics diagnostics;
};

/// The preset, without a fault.
inline DramParams dram_preset(const std::string& name) {
  DramFiles files(name);
  DramParams dram = files.read();
  files.diagnostics.throw_if_errors();
  return dram;
}

}  // namespace tilewave::test
