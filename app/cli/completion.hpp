// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/syntax.hpp"

namespace tilewave {

/// What may stand for an argument or an operand: words, names of `tilewave list`, files.
struct Completions {
  std::vector<std::string> words;
  std::vector<std::string> lists;  ///< "arch", "models" …
  bool files = false;
};
/// By its place in the help, "fast|detailed", "NAME|FILE", and by the lists that its meaning names,
/// "(tilewave list arch)".
[[nodiscard]] Completions completions_of(std::string_view argument, std::string_view meaning);

/// Shells there are scripts for.
[[nodiscard]] const std::vector<std::string_view>& completion_shells();
/// The script that makes `shell` complete commands, options and values; made from the commands' syntax.
/// Requires a shell of completion_shells().
[[nodiscard]] std::string completion_script(std::string_view shell);

}  // namespace tilewave
