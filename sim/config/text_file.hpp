// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/diagnostics.hpp"

namespace tilewave {

/// Largest file read whole: configurations are kilobytes, a workload of a million ops tens of megabytes.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;

/// May `path` be read as a file? A regular one may, and a pipe that whoever called us holds open
/// (/dev/stdin, or /dev/fd/63 of a shell's <(command)). What is missing, a directory, a device, or a named pipe,
/// which may never come to an end, is reported.
[[nodiscard]] bool check_input_file(const std::filesystem::path& path, Diagnostics& diagnostics);

/// A whole file as bytes. What check_input_file() refuses, what cannot be read or is larger than
/// `max_bytes` is reported, and nothing returned; of a larger one, nothing is read.
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
