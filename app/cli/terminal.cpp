// SPDX-License-Identifier: Apache-2.0
#include "app/cli/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tilewave {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// 0: the variable is not set or no number.
std::size_t columns_from_environment() {
  const std::string_view text = variable("COLUMNS");
  std::size_t columns = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), columns);
  return result.ptr == text.data() + text.size() ? columns : 0;
}

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) == 1 && variable("TERM") != "dumb"; }

std::size_t terminal_columns(int descriptor) {
  std::size_t columns = columns_from_environment();
  winsize size{};
  if (columns == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    columns = size.ws_col;
  }
  return std::max(columns == 0 ? kTextColumns : columns, kLeastColumns);
}

}  // namespace tilewave
