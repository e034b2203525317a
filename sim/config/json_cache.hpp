// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// read_file() and parse_json(), or what they gave for this file before: a sweep resolves presets for each of its
/// points. A file counts as unchanged if device, inode, size and times of change are what they were and lay some
/// seconds back when it was read (a file system's clock is coarse: two changes in a row may look like one). Nothing
/// is returned if the file cannot be read; files with faults are read each time. May be called by several threads.
[[nodiscard]] std::shared_ptr<const Json> load_shared_json(const std::filesystem::path& path,
                                                           Diagnostics& diagnostics);

}  // namespace tilewave
