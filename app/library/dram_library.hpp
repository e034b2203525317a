// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arch/memory/dram/dram_params.hpp"
#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// Changes that another file makes to a preset, merged into it (deep_merge).
struct DramOverrides {
  Json values;       ///< an object as a preset is; {}: none
  std::string file;  ///< the file that makes them: faults in them are reported there,
  std::string path;  ///< below this path
};

/// Loads a memory: a preset of `config_dir`/dram by name, or a file, a name with a slash or the
/// ending .json, relative to `folder`. Its "standard" is the name of a file of
/// `config_dir`/dram/standards, a file relative to its own folder, or the standard itself as an
/// object. A memory that names none is called like its file. Every fault goes to `diagnostics`;
/// after one, nothing is returned.
[[nodiscard]] std::optional<DramParams> load_dram(const std::string& name_or_file,
                                                  const DramOverrides& overrides,
                                                  const std::filesystem::path& config_dir,
                                                  const std::filesystem::path& folder,
                                                  Diagnostics& diagnostics);
[[nodiscard]] std::optional<DramParams> load_dram(const std::string& name_or_file,
                                                  const std::filesystem::path& config_dir,
                                                  Diagnostics& diagnostics);

/// A preset and a line about it: the file's "note", else the memory in short.
struct DramEntry {
  std::string name;
  std::string description;
};
/// In the order of names; numbers count as numbers.
[[nodiscard]] std::vector<DramEntry> list_dram(const std::filesystem::path& config_dir);

/// "8 x 2 x 64 bits at 2 Gb/s, 256 GB/s, 16 GiB".
[[nodiscard]] std::string describe_dram(const DramParams& dram);

}  // namespace tilewave
