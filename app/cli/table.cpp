// SPDX-License-Identifier: Apache-2.0
#include "app/cli/table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/report_values.hpp"
#include "app/cli/text.hpp"
#include "app/library/arch_library.hpp"
#include "sim/config/json_path.hpp"

namespace tilewave {
namespace {

constexpr std::size_t kLeastTableColumns = 40;

std::string header(const Json& report, std::size_t columns) {
  std::string words =
      fmt::format("{} on {}", text_at(report, "workload.name"), text_at(report, "arch.name"));
  if (const Json* arch = find_value(report, "arch"); arch != nullptr) {
    words += fmt::format(" ({})", describe_arch(*arch));
  }
  if (const std::string fidelity = text_at(report, "fidelity"); !fidelity.empty()) {
    words += ", " + fidelity;
  }
  return wrapped(words, columns, 2) + '\n';
}

}  // namespace

std::string report_table(const Json& report, std::size_t columns) {
  const std::size_t limit = std::max(columns, kLeastTableColumns);
  return header(report, limit) + '\n' + layer_table(report, limit) + '\n' + summary(report, limit);
}

}  // namespace tilewave
