// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text for people: numbers with units, columns, lines.
namespace tilewave {

/// Four digits and an SI prefix: 1234567, "Hz" -> "1.235 MHz"; 0.00008046, "s" -> "80.46 us". What
/// is below 1e-18 or no number: "0 s".
[[nodiscard]] std::string si(double value, std::string_view unit);

/// Characters that `text` takes on a terminal: UTF-8 characters, each taken as one column.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// `text` within `columns`, shortened in its middle, where names differ least: "layer…3x3_conv".
/// Control characters become spaces, so that it stays one line.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t columns);

/// Filled with spaces to `columns`; longer text is left as it is.
[[nodiscard]] std::string left(std::string_view text, std::size_t columns);
[[nodiscard]] std::string right(std::string_view text, std::size_t columns);

/// Words of `text` in lines of at most `columns`, the second and later lines indented by `indent`.
/// A word that is longer has a line of its own. The first line starts at column `first_column`.
/// No newline at the end.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent,
                                  std::size_t first_column = 0);

}  // namespace tilewave
