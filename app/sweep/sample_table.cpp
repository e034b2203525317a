// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sample_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

/// Values that have a group each; more numbers share kSharedGroups.
constexpr std::size_t kMostGroups = 16;
constexpr std::size_t kSharedGroups = 8;

std::vector<std::uint32_t> order_of(const std::vector<double>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return values[i]; });
  return order;
}

}  // namespace

void SampleColumn::add(const Json& value) {
  if (value.is_number() && words_.empty()) {
    codes_.push_back(value.get<double>());
    return;
  }
  // Words from here on: numbers before become some, too.
  if (words_.empty()) {
    for (double& code : codes_) {
      const auto [entry, is_new] =
          index_.try_emplace(fmt::format("{:.12g}", code), static_cast<double>(words_.size()));
      if (is_new) words_.push_back(entry->first);
      code = entry->second;
    }
  }
  const std::string text = value.is_string()   ? value.get<std::string>()
                           : value.is_number() ? fmt::format("{:.12g}", value.get<double>())
                                               : shown(value);
  const auto [entry, is_new] = index_.try_emplace(text, static_cast<double>(words_.size()));
  if (is_new) words_.push_back(text);
  codes_.push_back(entry->second);
}

std::string SampleColumn::words(double code) const {
  return is_numeric() ? fmt::format("{:.6g}", code) : words_[static_cast<std::size_t>(code)];
}

SampleGroups grouped(const SampleColumn& column) {
  const std::vector<double>& codes = column.codes();
  const std::vector<std::uint32_t> order = order_of(codes);
  const std::set<double> values(codes.begin(), codes.end());
  SampleGroups groups{.group = std::vector<std::uint32_t>(codes.size()), .names = {}};
  if (values.size() <= kMostGroups || !column.is_numeric()) {
    const std::vector<double> list(values.begin(), values.end());
    for (const double value : list) groups.names.push_back(column.words(value));
    for (std::size_t i = 0; i < codes.size(); ++i) {
      groups.group[i] =
          static_cast<std::uint32_t>(std::ranges::lower_bound(list, codes[i]) - list.begin());
    }
    return groups;
  }
  std::size_t at = 0;
  for (std::size_t g = 0; at < order.size(); ++g) {
    std::size_t end = std::max(at + 1, (g + 1) * order.size() / kSharedGroups);
    while (end < order.size() && codes[order[end]] == codes[order[end - 1]]) ++end;
    groups.names.push_back(fmt::format("{} .. {}", column.words(codes[order[at]]),
                                       column.words(codes[order[end - 1]])));
    for (; at < end; ++at) {
      groups.group[order[at]] = static_cast<std::uint32_t>(groups.names.size() - 1);
    }
  }
  return groups;
}

std::vector<std::uint32_t> pareto_front(const std::vector<std::vector<double>>& columns) {
  std::vector<std::uint32_t> front;
  if (columns.empty()) return front;
  // Whoever dominates a point comes before it in the order of all columns.
  std::vector<std::uint32_t> order(columns.front().size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& column : columns) {
      if (column[a] != column[b]) return column[a] < column[b];
    }
    return false;
  });
  if (columns.size() == 2) {
    // In this order, a point is on the front if it is better in the second than all before, or equal to the last.
    for (const std::uint32_t point : order) {
      const bool equals = !front.empty() && columns[0][point] == columns[0][front.back()] &&
                          columns[1][point] == columns[1][front.back()];
      if (front.empty() || equals || columns[1][point] < columns[1][front.back()]) {
        front.push_back(point);
      }
    }
    return front;
  }
  const auto dominates = [&](std::uint32_t a, std::uint32_t b) {
    bool better = false;
    for (const auto& column : columns) {
      if (column[a] > column[b]) return false;
      better = better || column[a] < column[b];
    }
    return better;
  };
  for (const std::uint32_t point : order) {
    // The last of the front is the likeliest to be better.
    const bool beaten = std::any_of(front.rbegin(), front.rend(),
                                    [&](std::uint32_t other) { return dominates(other, point); });
    if (!beaten) front.push_back(point);
  }
  return front;
}

}  // namespace tilewave
