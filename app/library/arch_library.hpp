// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/library/arch_presets.hpp"
#include "app/simulate.hpp"
#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// The machine that a user names: a preset or a file (find_arch), with what it extends, then each
/// of `sets` ("PATH=VALUE") put in, read, and its energy table with it. Every fault is reported
/// under the file, or "--set", that gave the value; what is returned then is not to be used.
[[nodiscard]] ResolvedArch resolve_arch(const std::string& name_or_file,
                                        std::span<const std::string> sets,
                                        const std::filesystem::path& config_dir,
                                        Diagnostics& diagnostics);
[[nodiscard]] ResolvedArch resolve_arch(const ArchPlace& place, std::span<const std::string> sets,
                                        const std::filesystem::path& config_dir,
                                        Diagnostics& diagnostics);
/// The machine that `json` describes as a file would; `label` stands in messages for the file.
[[nodiscard]] ResolvedArch resolve_arch(const Json& json, const std::string& label,
                                        std::span<const std::string> sets,
                                        const std::filesystem::path& config_dir,
                                        Diagnostics& diagnostics);

/// Loads the DRAM preset that a machine just read names, as the machine, described by `file`, changes
/// it. Nothing to do for a machine that names none.
void load_memory(const std::string& file, const std::filesystem::path& config_dir,
                 MainMemoryParams& memory, Diagnostics& diagnostics);

/// A preset and a line about it: the file's "note", else the machine in short.
struct ArchEntry {
  std::string name;
  std::string description;
};
[[nodiscard]] std::vector<ArchEntry> list_arch(const std::filesystem::path& config_dir);

/// "256 x 256 weight stationary, 0.7 GHz, 34 GB/s DDR3", of a machine's resolved JSON.
[[nodiscard]] std::string describe_arch(const Json& arch);

/// Words for a name that is neither a preset nor a file, with the nearest preset.
[[nodiscard]] std::string unknown_arch_message(const std::string& name,
                                               const std::filesystem::path& config_dir);

}  // namespace tilewave
