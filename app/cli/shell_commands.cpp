// SPDX-License-Identifier: Apache-2.0
// What belongs to a shell: completion, the manual's page.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands.hpp"
#include "app/cli/completion.hpp"
#include "app/cli/man_page.hpp"
#include "app/cli/output_file.hpp"
#include "sim/config/json_path.hpp"
#include "sim/config/nearest.hpp"
#include "sim/diagnostics.hpp"

namespace tilewave {
namespace {

void complete(const Arguments& arguments) {
  const std::string& shell = arguments.operands().front();
  const auto& shells = completion_shells();
  if (std::ranges::find(shells, shell) == shells.end()) {
    throw ConfigError(Fault{
        .file = "",
        .path = "",
        .message = fmt::format("there is no completion for {}{}; there are: {}", in_quotes(shell),
                               suggestion(shell, shells), fmt::join(shells, ", "))});
  }
  write_stdout(completion_script(shell));
}

}  // namespace

Command completion_command() {
  return {.syntax =
              {.name = "completion",
               .summary = "a shell's script that completes commands, options, names",
               .operands = "bash|zsh|fish",
               .least_operands = 1,
               .most_operands = 1,
               .about = "Prints a script that makes the shell complete commands, options, "
                        "names of presets and files.",
               .examples = {"source <(tilewave completion bash)",
                            "tilewave completion fish > ~/.config/fish/completions/tilewave.fish"}},
          .run = complete};
}

Command man_command() {
  return {.syntax = {.name = "man",
                     .summary = "the manual's page",
                     .operands = "",
                     .about = "Prints the manual's page, tilewave(1), for man.",
                     .examples = {"tilewave man | man -l -"}},
          .run = [](const Arguments&) { write_stdout(man_page()); }};
}

}  // namespace tilewave
