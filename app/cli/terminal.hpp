// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tilewave {

/// Columns that text for people may take: what fits anywhere.
inline constexpr std::size_t kTextColumns = 80;
/// Narrower than this, nothing is laid out any more.
inline constexpr std::size_t kLeastColumns = 20;

/// Is the file descriptor a terminal that can move its cursor?
[[nodiscard]] bool is_terminal(int descriptor);

/// Width of the terminal at `descriptor`: the environment's COLUMNS, else what the terminal says,
/// else (a file, a pipe) kTextColumns. At least kLeastColumns.
[[nodiscard]] std::size_t terminal_columns(int descriptor);

}  // namespace tilewave
