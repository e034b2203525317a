// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "arch/energy/energy_table.hpp"
#include "sim/config/key_docs.hpp"
#include "sim/config/values.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// The file of a table as a machine names it: what ends in `.json` is a path, relative to `folder`;
/// anything else the name of a preset in `presets` (configs/energy).
[[nodiscard]] Checked<std::filesystem::path> find_energy_table(std::string_view name_or_file,
                                                               const std::filesystem::path& presets,
                                                               const std::filesystem::path& folder);

/// Reads a table. A file gives all groups of values itself, or
///  - "extends": NAME takes another file's JSON and changes it by a deep merge;
///  - "between": {"older": NAME, "newer": NAME} takes what it does not give from two tables,
///    interpolated to its own node_nm (see interpolate()).
/// Names are those of find_energy_table(), with the file's own folder. All faults are reported, and
/// nothing returned if there is one.
[[nodiscard]] std::optional<EnergyTable> load_energy_table(const std::filesystem::path& file,
                                                           const std::filesystem::path& presets,
                                                           Diagnostics& diagnostics,
                                                           KeyDocs* docs = nullptr);

}  // namespace tilewave
