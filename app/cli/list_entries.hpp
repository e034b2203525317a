// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/syntax.hpp"

namespace tilewave {

/// The names that `tilewave list KIND` prints, with words about them. Throws ConfigError if there is no
/// such kind.
[[nodiscard]] std::vector<NameAndWords> list_entries(const std::string& kind);

}  // namespace tilewave
