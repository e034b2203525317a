// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/diagnostics.hpp"

namespace tilewave {

/// Largest file read: configurations are kilobytes, a long CSV trace some megabytes.
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20U;

/// A whole regular file, pipe or device as bytes. A missing file, a directory, one that cannot be
/// read or is larger than `max_bytes` is reported, and nothing returned.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path,
                                                   Diagnostics& diagnostics,
                                                   std::size_t max_bytes = kMaxFileBytes);

/// Checks that `text` is UTF-8 without NUL characters and drops a byte order mark at its start.
/// Reports line and column of the first fault otherwise.
[[nodiscard]] std::optional<std::string_view> check_utf8(std::string_view text,
                                                         const std::string& name,
                                                         Diagnostics& diagnostics);

/// 1-based line and column (in characters) of the byte at `offset`.
struct TextPosition {
  int line = 1;
  int column = 1;
};
[[nodiscard]] TextPosition position_of(std::string_view text, std::size_t offset);

}  // namespace tilewave
