// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/library/arch_presets.hpp"
#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// A machine's file with all that it extends merged in.
struct ArchDocument {
  std::string file;  ///< of the machine itself: faults are reported under it
  Json json;         ///< without "extends" and "family"; has a "name"
  /// Folder of the file that names the energy table: a path to one is relative to it.
  std::filesystem::path energy_folder;
};

/// Loads the file at `place`:
///   "extends": NAME|FILE   takes another machine (a preset, a family's member or a file, relative
///                          to this one's folder) and changes it by a deep merge. What describes
///                          the other alone, its name and note, is not taken.
///   "family"               see arch_family.hpp.
/// A machine that names none is called like its file. Faults in a value are reported under the file
/// that gives it. After a fault that leaves nothing to go on with, returns nothing.
[[nodiscard]] std::optional<ArchDocument> load_arch_document(
    const ArchPlace& place, const std::filesystem::path& config_dir, Diagnostics& diagnostics);

/// The same of a machine that is in no file. `label` stands in messages for the file and gives the
/// name of a machine that has none; files it names are relative to the current folder.
[[nodiscard]] std::optional<ArchDocument> load_arch_document(
    const Json& json, const std::string& label, const std::filesystem::path& config_dir,
    Diagnostics& diagnostics);

}  // namespace tilewave
