// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace tilewave {
namespace {

constexpr std::array<std::string_view, 13> kPrefixes{"f", "p", "n", "u", "m", "", "k",
                                                     "M", "G", "T", "P", "E", "Z"};
constexpr int kNoPrefix = 5;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Byte offsets at which characters begin, and the end.
std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i])) {
      starts.push_back(i);
    }
  }
  starts.push_back(text.size());
  return starts;
}

}  // namespace

std::string si(double value, std::string_view unit) {
  if (!std::isfinite(value) || std::abs(value) < 1e-18) {
    return fmt::format("0 {}", unit);
  }
  // Rounded to four digits first: 999.96 is 1.000 k, not 1000.
  const int decade = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double step = std::pow(10.0, decade - 3);
  const double rounded = std::round(value / step) * step;
  int prefix = static_cast<int>(std::floor(std::log10(std::abs(rounded) * (1 + 1e-12)) / 3.0));
  prefix = std::clamp(prefix, -kNoPrefix, static_cast<int>(kPrefixes.size()) - 1 - kNoPrefix);
  const double scaled = rounded / std::pow(1000.0, prefix);
  const double size = std::abs(scaled) * (1 + 1e-12);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, *(kPrefixes.begin() + kNoPrefix + prefix),
                     unit);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

std::string fitted(std::string_view text, std::size_t columns) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      c = ' ';
    }
  }
  const auto starts = character_starts(line);
  const std::size_t characters = starts.size() - 1;
  if (characters <= columns) {
    return line;
  }
  if (columns == 0) {
    return {};
  }
  const std::size_t tail = (columns - 1) / 2;
  const std::size_t head = columns - 1 - tail;
  return line.substr(0, starts[head]) + "…" + line.substr(starts[characters - tail]);
}

std::string left(std::string_view text, std::size_t columns) {
  const std::size_t width = width_of(text);
  return std::string(text) + std::string(width < columns ? columns - width : 0, ' ');
}

std::string right(std::string_view text, std::size_t columns) {
  const std::size_t width = width_of(text);
  return std::string(width < columns ? columns - width : 0, ' ') + std::string(text);
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent,
                    std::size_t first_column) {
  std::string out;
  std::size_t column = first_column;
  bool line_is_empty = true;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) {
      return out;
    }
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
    text.remove_prefix(word.size());
    const std::size_t width = width_of(word);
    if (!line_is_empty && column + 1 + width > columns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
    line_is_empty = false;
  }
}

}  // namespace tilewave
