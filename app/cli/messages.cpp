// SPDX-License-Identifier: Apache-2.0
#include "app/cli/messages.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <string>

namespace tilewave {
namespace {

void print(std::string_view kind, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    out += std::string(kind) + ": " + std::string(line) + '\n';
  }
  std::fputs(out.c_str(), stderr);
}

}  // namespace

void print_error(std::string_view text) { print("error", text); }

std::string text_of(const ConfigError& error) {
  constexpr std::size_t kMost = 20;  // a screenful
  const auto& faults = error.faults();
  if (faults.size() <= kMost) return error.what();
  std::string text;
  for (std::size_t i = 0; i < kMost; ++i) text += format(faults[i]) + '\n';
  return text + fmt::format("... and {} more", faults.size() - kMost);
}

void print_error(const ConfigError& error) { print_error(text_of(error)); }

void print_warning(std::string_view text) { print("warning", text); }

void report(const Diagnostics& diagnostics) {
  for (const Fault& fault : diagnostics.warnings()) {
    print_warning(format(fault));
  }
  diagnostics.throw_if_errors();
}

}  // namespace tilewave
