// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sim/diagnostics.hpp"

namespace tilewave {

/// Each line of `text` on standard error, after "error: " or "warning: ".
void print_error(std::string_view text);
/// Its faults, one a line, if they are very many only the first.
[[nodiscard]] std::string text_of(const ConfigError& error);
void print_error(const ConfigError& error);
void print_warning(std::string_view text);

/// Prints the warnings, then throws the errors if there are any.
void report(const Diagnostics& diagnostics);

}  // namespace tilewave
