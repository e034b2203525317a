// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "sim/config/json.hpp"

namespace tilewave {

/// A suite's scores and worst cases as text, from validation_json().
[[nodiscard]] std::string validation_table(const Json& suite, std::size_t columns);

}  // namespace tilewave
