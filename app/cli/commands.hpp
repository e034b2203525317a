// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "app/cli/syntax.hpp"

namespace tilewave {

/// A command of the program. What it prints on standard output is its result; it throws for what
/// goes wrong, and program.cpp turns that into messages and exit statuses.
struct Command {
  CommandSyntax syntax;
  void (*run)(const Arguments& arguments) = nullptr;
};

// One file each.
[[nodiscard]] Command run_command();
[[nodiscard]] Command sweep_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command dram_command();
[[nodiscard]] Command list_command();
[[nodiscard]] Command show_command();
[[nodiscard]] Command check_command();
[[nodiscard]] Command validate_command();
[[nodiscard]] Command completion_command();
[[nodiscard]] Command man_command();

/// In the order of the help.
[[nodiscard]] std::span<const Command> commands();

}  // namespace tilewave
