// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilewave {

/// Where a machine is written down: a file, and if that is a family's, which member.
struct ArchPlace {
  std::filesystem::path file;
  std::string member;  ///< empty: the file itself
};

/// Order of names in which numbers count as numbers: x_8 comes before x_16.
struct NaturalLess {
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const;
};

using ArchPresets = std::map<std::string, ArchPlace, NaturalLess>;

/// The machines in `config_dir`/arch by name: each file NAME.json, and the members of families
/// (arch_family.hpp). A file that cannot be read is listed by its name: loading it tells why.
[[nodiscard]] ArchPresets arch_presets(const std::filesystem::path& config_dir);

/// The place that `name_or_file` means: a name with a slash or the ending .json is a file, relative
/// to `folder`; of other names a preset comes before a file. Nothing: there is none.
[[nodiscard]] std::optional<ArchPlace> find_arch(const std::string& name_or_file,
                                                 const std::filesystem::path& config_dir,
                                                 const std::filesystem::path& folder);

}  // namespace tilewave
