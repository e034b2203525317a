// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_values.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/config/json_path.hpp"

namespace tilewave {

std::optional<double> number_at(const Json& json, std::string_view path) {
  const Json* value = find_value(json, path);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>())
                                                : std::nullopt;
}

std::string text_at(const Json& json, std::string_view path) {
  const Json* value = find_value(json, path);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

const std::vector<Json>& layers_of(const Json& report) {
  static const std::vector<Json> none;
  const Json* layers = find_value(report, "layers");
  return layers != nullptr && layers->is_array() ? layers->get_ref<const Json::array_t&>() : none;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace tilewave
