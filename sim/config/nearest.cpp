// SPDX-License-Identifier: Apache-2.0
#include "sim/config/nearest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tilewave {
namespace {

constexpr std::size_t kLongestName = 200;  // bounds the work for hostile input

std::string normalized(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    } else if (c == '-' || c == ' ') {
      c = '_';
    }
  }
  return out;
}

std::size_t distance_of_normalized(std::string_view a, std::string_view b) {
  // Rows of the table of distances between prefixes: two back, one back, current.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// Is the longer name the shorter one and more parts, as clock and clock_ghz?
bool differs_by_parts(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) {
    std::swap(a, b);
  }
  return a.size() >= 3 && a.size() < b.size() && b.starts_with(a) && b[a.size()] == '_';
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  return distance_of_normalized(normalized(a), normalized(b));
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  if (name.size() > kLongestName) {
    return std::nullopt;
  }
  const std::string wanted = normalized(name);
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestName) {
      continue;
    }
    const std::string other = normalized(candidate);
    const std::size_t limit = std::max(wanted.size(), other.size()) / 3;
    const std::size_t distance = distance_of_normalized(wanted, other);
    const bool near = distance <= limit || differs_by_parts(wanted, other);
    if (near && (!best || distance < best_distance)) {
      best = std::string(candidate);
      best_distance = distance;
    }
  }
  return best;
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return nearest_name(name, std::span<const std::string_view>(views));
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : std::string();
}

}  // namespace tilewave
