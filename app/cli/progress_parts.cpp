// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress_parts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace tilewave {

std::string progress_bar(double share, std::size_t columns) {
  const auto full =
      std::min(static_cast<std::size_t>(share * static_cast<double>(columns) + 0.5), columns);
  return '[' + std::string(full, '#') + std::string(columns - full, '.') + ']';
}

std::string duration_text(double seconds) {
  const auto all = static_cast<long>(seconds + 0.5);
  return all < 3600 ? fmt::format("{}:{:02}", all / 60, all % 60)
                    : fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

void send_to_terminal(int descriptor, std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(descriptor, text.data(), text.size());
}

}  // namespace tilewave
