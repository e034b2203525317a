// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/config/json.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {

/// Levels of objects and arrays a file may have. What walks a value may therefore recurse.
inline constexpr std::size_t kMaxJsonDepth = 200;

/// Values a file may have, which bounds the memory they take: a workload of a million ops has some millions.
inline constexpr std::size_t kMaxJsonValues = std::size_t{8} << 20U;

/// Parses one JSON value (RFC 8259: no comments, no final commas, no NaN). `name` stands for the
/// file in messages. A text that is no JSON, or nested deeper than kMaxJsonDepth, is reported with
/// line and column, and nothing returned. A key given twice is reported too, but the value (with
/// the last one) is returned, so that its reader can report what else is wrong.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text, const std::string& name,
                                             Diagnostics& diagnostics);

/// read_file and parse_json.
[[nodiscard]] std::optional<Json> load_json_file(const std::filesystem::path& path,
                                                 Diagnostics& diagnostics);

}  // namespace tilewave
