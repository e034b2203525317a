// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/json.hpp"

/// Inside of report_table(): what it takes from a report, whatever is missing there, and its
/// halves.
namespace tilewave {

/// The number or text at `path`; nothing, or an empty text, if there is none.
[[nodiscard]] std::optional<double> number_at(const Json& json, std::string_view path);
[[nodiscard]] std::string text_at(const Json& json, std::string_view path);
/// The rows of a report; none if it has none.
[[nodiscard]] const std::vector<Json>& layers_of(const Json& report);
/// 0.125 -> "12.5 %".
[[nodiscard]] std::string percent(double share);

/// A row a layer, and one for the total.
[[nodiscard]] std::string layer_table(const Json& report, std::size_t columns);
/// Totals, slowest layers and bottleneck.
[[nodiscard]] std::string summary(const Json& report, std::size_t columns);

}  // namespace tilewave
